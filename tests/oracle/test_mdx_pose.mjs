// Poses of Warcraft III models, by sinew and by mdx_reader.mjs: places of nodes, and vertices of what does not face the camera. node test_mdx_pose.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { exists, finish, needTool, skip } from './judge.mjs';
import { poseGeosets, poseNodes, readMdx } from './mdx_reader.mjs';

const run = promisify(execFile);
const [tool, samples, shared] = process.argv.slice(2);
const MOMENTS = [0, 0.07, 0.31, 0.5, 0.77, 0.999, 1], TOLERANCE = 2e-5;
await needTool(tool);

async function findFiles(folder) {
    const entries = await fs.readdir(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => /\.mdx$/i.test(entry.name)).map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort();
}

// The largest difference in one pose, as a part of the model's size.
async function compare(file, model, clip, part) {
    const sequence = model.sequences[clip], seconds = Math.fround((sequence.end - sequence.start) / 1000 * part);
    const { stdout } = await run(tool, ['pose', file, '--clip', String(clip), '--time', String(seconds), '--json'], { maxBuffer: 1 << 28 });
    const { nodes, parts } = JSON.parse(stdout), time = sequence.start + seconds * 1000, posed = poseNodes(model, sequence, time);
    let worst = 0, size = 1, count = 0;
    const same = (wanted, ours) => {
        size = Math.max(size, Math.abs(wanted));
        worst = Math.max(worst, Math.abs(wanted - ours));
    };
    for (const { id, world } of nodes) {
        const wanted = posed.get(id);
        if (!wanted || wanted.isTurned) continue;
        count++;
        for (let i = 0; i < 12; i++) same(wanted.place[4 * (i % 4) + Math.floor(i / 4)], world[i]);
    }
    const geosets = poseGeosets(model, sequence, time);
    for (const { mesh, positions, visible } of parts) {
        const geoset = geosets[mesh];
        if (!geoset || geoset.isTurned || 3 * geoset.positions.length !== positions.length) continue;
        count++;
        geoset.positions.flat().forEach((wanted, i) => same(wanted, positions[i]));
        if (visible !== geoset.isVisible && geoset.positions.length) throw new Error(`geoset ${mesh} is ${visible ? '' : 'not '}visible in ${sequence.name} at ${seconds} s`);
    }
    return { error: worst / size, count };
}

const counts = { passed: 0, failed: 0, skipped: 0 };
const corpus = path.join(shared ?? '', 'corpus/mdx');
const files = [...await findFiles(samples), ...await exists(corpus) ? await findFiles(corpus) : []];
for (const file of files) {
    let model = null, worst = 0, places = 0;
    try {
        model = readMdx(await fs.readFile(file));
    } catch { /* damaged on purpose */ }
    if (!model || model.sequences.length === 0 || model.sequences.some(({ start, end }) => end < start)) {
        skip(counts, 'a damaged file, or one without sequences');
        continue;
    }
    for (let clip = 0; clip < model.sequences.length; clip++) {
        for (const part of MOMENTS) {
            const { error, count } = await compare(file, model, clip, part);
            worst = Math.max(worst, error);
            places += count;
        }
    }
    counts[worst <= TOLERANCE ? 'passed' : 'failed']++;
    console.log(`${worst <= TOLERANCE ? '' : 'FAILED '}${worst.toExponential(1)} of ${places} places  ${file}`);
}
finish(counts);
