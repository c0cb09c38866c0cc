// Warcraft III's models as .glb: the Khronos validator finds no error and no warning, and three.js poses what was written as sinew
// poses the MDX and MDL files themselves. node test_convert_mdx.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { exists, finish, need, needTool, readJson, sinewJson } from './judge.mjs';
import { compareParts, hasOtherRest, restsAs } from './posed.mjs';
import { report } from './validate.mjs';

await need('three');
await need('gltf-validator');
const { openScene, poseScene } = await import('./three_scene.mjs');
const run = promisify(execFile);
const [tool, samples, shared] = process.argv.slice(2);
const PLACES = [0, 0.13, 0.31, 0.5, 0.77, 0.998];           // at the very end what has a clock of its own has begun again, or not
const MOST = 1e-4;             // of the model's size
await needTool(tool);

async function findFiles(folder) {
    const entries = await fs.readdir(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => /\.md[xl]$/i.test(entry.name)).map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort();
}

async function convert(file, glb) {
    const { stdout } = await run(tool, ['convert', file, '--keep-axes', '--json', '-q', '-o', glb], { maxBuffer: 1 << 28 }).catch((error) => error);
    const [record] = JSON.parse(stdout).files;
    return record;
}

async function faultsOf(glb) {
    const { issues } = await report(glb);
    return issues.messages.filter((one) => one.severity < 2).map((one) => `${one.code} ${one.pointer}: ${one.message}`);
}

// Extras are objects wherever they are.
function findBadExtras(value, at = '') {
    if (value === null || typeof value !== 'object') return [];
    return Object.entries(value).flatMap(([key, inner]) => {
        if (key !== 'extras') return findBadExtras(inner, `${at}/${key}`);
        return inner && typeof inner === 'object' && !Array.isArray(inner) ? [] : [`${at}/extras is no object`];
    });
}

const sizeOf = (parts) => Math.max(1e-6, ...parts.map((part) => part.positions.reduce((most, value) => Math.max(most, Math.abs(value)), 0)));

// three.js does not know KHR_node_visibility: what the game hides must be a point. Clips may have got numbers behind their names.
async function comparePoses(file, glb) {
    const scene = await openScene(glb), rests = !hasOtherRest(readJson(await fs.readFile(glb)));
    let worst = 0, poses = 0;
    for (const clip of [null, ...scene.clips]) {
        for (const place of clip ? PLACES : [0]) {
            const time = clip ? Math.fround(clip.duration * place) : 0, theirs = poseScene(scene, clip, time);
            const standing = scene.clips.find(({ name }) => /^stand$/i.test(name));
            if (theirs.size === 0 || (!clip && !rests && !standing)) continue;
            const which = clip ? ['--clip', clip.name, '--time', String(time)] : rests ? [] : ['--clip', standing.name, '--time', '0'];
            const { parts } = await sinewJson(tool, ['pose', file, '--continuous', '--json', ...which]);
            const off = clip || rests ? compareParts(parts, theirs) : restsAs(parts, theirs) ? 0 : Infinity;
            worst = Math.max(worst, off / sizeOf(parts));
            poses++;
        }
    }
    return { worst, poses };
}

async function judge(file, glb, counts) {
    const record = await convert(file, glb);
    if (record.status !== 'converted') {
        counts.skipped++;
        return;
    }
    const faults = [...await faultsOf(glb), ...findBadExtras(readJson(await fs.readFile(glb)))];
    const { worst, poses } = await comparePoses(file, glb);
    if (worst > MOST) faults.push(`posed vertices are off by ${worst} of the model's size`);
    console.log(`${worst.toExponential(1).padStart(8)} ${String(poses).padStart(5)}  ${file}`);
    for (const fault of faults) console.log(`FAILED ${file}: ${fault}`);
    counts[faults.length ? 'failed' : 'passed']++;
}

const counts = { passed: 0, failed: 0, skipped: 0 };
const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-mdx-'));
try {
    const corpus = path.join(shared ?? '', 'corpus/mdx');
    const files = [...await findFiles(samples), ...await exists(corpus) ? await findFiles(corpus) : []];
    console.log('   error poses  model');
    for (const [i, file] of files.entries()) await judge(file, path.join(work, `${i}.glb`), counts);
    console.log(`${counts.skipped} are not read`);
    counts.skipped = 0;
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
