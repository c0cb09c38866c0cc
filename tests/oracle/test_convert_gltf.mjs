// What sinew converts, judged by others: the Khronos validator, three.js, assimp. node test_convert_gltf.mjs TOOL SAMPLES SHARED
//
// Every output has 0 errors and 0 warnings, whatever the validator says of the input; three.js reads each output as sinew
// does, which tests/convert/test_save.c shows to be the original; assimp opens it. Of the corpus one output of six is
// judged, unless SINEW_CHECK_ALL=1.
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { exists, finish, need, readJson } from './judge.mjs';
import { comparePoses } from './three_pose.mjs';
import { report } from './validate.mjs';

const run = promisify(execFile);
const [tool, samples, shared] = process.argv.slice(2);
await need('three');
await need('gltf-validator');

// Converts a folder; answers the records of what became of each file.
async function convert(folder, out) {
    const record = path.join(out, 'report.json');
    await run(tool, ['convert', folder, '-o', path.join(out, 'models'), '--quiet', '--report', record]).catch((error) => {
        if (error.code !== 1) throw error;          // 1: some inputs are not meant to be readable
    });
    return JSON.parse(await fs.readFile(record, 'utf8')).files;
}

async function opensInAssimp(file) {
    return run('assimp', ['info', file]).then(() => true, (error) => error.code === 'ENOENT' ? null : false);
}

async function judge(record, counts) {
    const { issues } = await report(record.out);
    const isClean = issues.numErrors === 0 && issues.numWarnings === 0;
    const opened = await opensInAssimp(record.out);
    const isGood = isClean && (opened !== false || await isEmpty(record.out));
    counts[isGood ? 'passed' : 'failed']++;
    if (isGood) return;
    console.log(`FAILED ${record.in}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, assimp ${opened}`);
    for (const issue of issues.messages.filter((one) => one.severity < 2)) console.log(`    ${issue.code} ${issue.pointer}: ${issue.message}`);
}

// assimp refuses models that show nothing, or points and lines alone.
async function isEmpty(file) {
    const json = readJson(await fs.readFile(file));
    const isThin = (mesh) => mesh.primitives.every((primitive) => (primitive.mode ?? 4) < 4);
    return !json.meshes || !json.nodes || json.scenes.every((scene) => !scene.nodes) || json.meshes.every(isThin);
}

const counts = { passed: 0, failed: 0, skipped: 0 };
const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-convert-'));
try {
    const corpus = path.join(shared ?? '', 'corpus/gltf');
    const folders = await exists(corpus) ? [samples, corpus] : [samples];
    for (const [index, folder] of folders.entries()) {
        const out = path.join(work, String(index));
        await fs.mkdir(out);
        const isPart = folder === corpus && process.env.SINEW_CHECK_ALL !== '1';
        for (const [at, record] of (await convert(folder, out)).entries()) {
            if (record.status !== 'converted') counts.skipped++;
            else if (isPart && at % 6 !== 0) await fs.rm(record.out);
            else await judge(record, counts);
        }
        const posed = await comparePoses(tool, [path.join(out, 'models')]);
        for (const key of Object.keys(counts)) counts[key] += posed[key];
    }
    console.log(`${counts.skipped} are not read, or show nothing in three.js`);
    counts.skipped = 0;
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
