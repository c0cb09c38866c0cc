// Poses of Warcraft III models, by sinew and by the plain formulas of mdx_plain.mjs. node test_mdx_pose.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { exists, finish, needTool } from './judge.mjs';
import { placeOf, readPlain } from './mdx_plain.mjs';

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
    let worst = 0, size = 1, count = 0;
    for (const node of JSON.parse(stdout).nodes) {
        const wanted = node.id >= 0 ? placeOf(model, node.id, sequence, sequence.start + seconds * 1000, seconds * 1000) : null;
        if (!wanted) continue;
        count++;
        wanted.flat().forEach((value, i) => {
            size = Math.max(size, Math.abs(value));
            worst = Math.max(worst, Math.abs(value - node.world[i]));
        });
    }
    return { error: worst / size, count };
}

const counts = { passed: 0, failed: 0, skipped: 0 };
const corpus = path.join(shared ?? '', 'corpus/mdx');
const files = [...await findFiles(samples), ...await exists(corpus) ? await findFiles(corpus) : []];
for (const file of files) {
    let model = null, worst = 0, places = 0;
    try {
        model = readPlain(await fs.readFile(file));
    } catch { /* damaged on purpose */ }
    if (!model || model.sequences.length === 0 || model.sequences.some(({ start, end }) => end < start)) {
        counts.skipped++;
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
