// The Khronos validator on our own files: 0 errors, 0 warnings. node validate.mjs FILE_OR_FOLDER...
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { finish, findModels, need } from './judge.mjs';

const { default: validator } = await need('gltf-validator');

export async function report(file) {
    const folder = path.dirname(file);
    const open = async (uri) => new Uint8Array(await fs.readFile(path.join(folder, decodeURIComponent(uri))));
    return validator.validateBytes(new Uint8Array(await fs.readFile(file)), { uri: path.basename(file), maxIssues: 0, externalResourceFunction: open });
}

export async function validate(places) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const place of places) {
        const isFolder = (await fs.stat(place)).isDirectory();
        for (const name of isFolder ? await findModels(place) : ['']) {
            const file = name ? path.join(place, name) : place;
            const { issues } = await report(file);
            const isFine = issues.numErrors === 0 && issues.numWarnings === 0;
            counts[isFine ? 'passed' : 'failed']++;
            console.log(`${isFine ? 'ok    ' : 'FAILED'} ${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
            for (const issue of issues.messages.filter((one) => one.severity < 2)) console.log(`    ${issue.code} ${issue.pointer}: ${issue.message}`);
        }
    }
    return counts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) finish(await validate(process.argv.slice(2)));
