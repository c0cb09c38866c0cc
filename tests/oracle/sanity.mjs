// The sanity test of mdx-m3-viewer, which modders run before they publish, on our own files: no error and nothing severe but a
// missing "Stand" or "Death", which the source does not have either. node sanity.mjs FILE_OR_FOLDER...
import { promises as fs } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { finish, findModels, need } from './judge.mjs';

await need('mdx-m3-viewer');
const require = createRequire(import.meta.url);
export const Model = require('mdx-m3-viewer/dist/cjs/parsers/mdlx/model').default;
const testSanity = require('mdx-m3-viewer/dist/cjs/utils/mdlx/sanitytest/sanitytest').default;

function* findings(nodes, where = '') {
    for (const node of nodes ?? []) {
        if (node.type === 'error' || node.type === 'severe') yield `${node.type} ${where}: ${node.message}`;
        yield* findings(node.nodes, `${where}/${node.name ?? node.type ?? ''}`);
    }
}

const isAllowed = (finding) => /^severe : Missing "(Stand|Death)" sequence$/.test(finding);

// Everything of kind error or severe; without what the source does not have.
export const findAll = (model) => [...findings(testSanity(model).nodes)];
export const findSevere = (model) => findAll(model).filter((finding) => !isAllowed(finding));

async function judge(places) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const place of places) {
        const isFolder = (await fs.stat(place)).isDirectory();
        for (const name of isFolder ? await findModels(place, /\.mdx$/) : ['']) {
            const file = name ? path.join(place, name) : place;
            const model = new Model();
            model.load(new Uint8Array(await fs.readFile(file)));
            const found = findSevere(model);
            counts[found.length === 0 ? 'passed' : 'failed']++;
            console.log(`${found.length === 0 ? 'ok    ' : 'FAILED'} ${file}: ${found.length} errors or severe`);
            for (const finding of found) console.log(`    ${finding}`);
        }
    }
    return counts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) finish(await judge(process.argv.slice(2)));
