// node test_mdx_values.mjs TOOL SAMPLES SHARED
// Every value of MDX and MDL files against war3-model and mdx-m3-viewer, where they read the file.
import { promises as fs } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { exists, finish, need, skip, skipAll } from './judge.mjs';
import { findMdx, judge, readDocuments, readers, writeText } from './mdx_values.mjs';

// Where another reader is wrong, or has decided otherwise on what the format leaves open: file, reader, what is not compared.
const EXCEPTIONS = [
    { reader: 'mdx-m3-viewer', file: /emitter_no_objectid.*mdl$/, at: /ParticleEmitter2\.0\.ObjectId$/ },    // gives no id to who has none
];
// What other readers cannot find in MDL, because it has no words for it or they refuse it.
const UNSAID = [
    { reader: 'war3-model', file: /matrix_indices_short/, at: /GroupSizes/ },               // sizes beyond the list of nodes
    { reader: 'mdx-m3-viewer', file: /matrix_indices_short/, at: /GroupSizes|FaceTypes|FaceCounts/ },     // and no group of faces
    { reader: 'mdx-m3-viewer', file: /SmileyGW_004/, at: /GeosetAnim\.0\.Flags/ },          // 26: bits without a name
    { reader: 'war3-model', file: /mdx_from_mdl/, at: /ParticleEmitter2\.0\.Flags/ },       // emitters without their type bit
    { reader: 'war3-model', file: /golem/, at: /./ },                                       // has other words for the slots of 1100
    { reader: 'war3-model', file: /geometry_v800/, at: /./ },                               // refuses four indices
];

const [tool, samples, shared] = process.argv.slice(2);
const war3 = await need('war3-model');
await need('mdx-m3-viewer/dist/cjs/parsers/mdlx/model.js');
const { default: Model } = createRequire(import.meta.url)('mdx-m3-viewer/dist/cjs/parsers/mdlx/model');
const program = path.join(path.dirname(tool), 'tests', 'print_mdx');
if (!await exists(program)) skipAll(`${program} is not there`);

const corpus = path.join(shared ?? '', 'corpus/mdx');
const files = (await Promise.all([samples, corpus].map(async (folder) => (await exists(folder) ? findMdx(folder) : [])))).flat();
if (files.length === 0) skipAll('no MDX or MDL files are there');
const documents = await readDocuments(program, files);
const result = { passed: 0, failed: 0, skipped: 0 };

function tell(file, reader, found) {
    if (found === null) skip(result, `${reader.name} does not read a file`);
    else if (found.length === 0) result.passed++;
    else result.failed++;
    if (found?.length > 0) console.error(`${path.basename(file)}, ${reader.name}:\n  ${found.slice(0, 12).join('\n  ')}`);
}

for (const [i, file] of files.entries()) {
    if (documents[i].error) continue;
    const bytes = await fs.readFile(file);
    const text = await writeText(program, file);
    const isText = /\.mdl$/i.test(file);
    for (const reader of readers(war3, Model)) {
        const of = (list) => list.filter((e) => e.reader === reader.name && e.file.test(file)).map((e) => e.at);
        const found = judge(reader, bytes, isText, documents[i], of(EXCEPTIONS));
        // The binary files made from text were written by mdx-m3-viewer: that it agrees says nothing.
        if (reader.name !== 'mdx-m3-viewer' || !file.includes('mdx_from_mdl')) tell(file, reader, found);
        // Who reads the file must read our MDL of it, and find the same.
        const unsaid = of(UNSAID);
        if (found !== null && !unsaid.some((at) => at.source === '.'))
            tell(`MDL of ${path.basename(file)}`, reader, judge(reader, text, true, documents[i], unsaid) ?? ['cannot be read']);
    }
}
finish(result);
