// The Level-5 samples as .glb: the Khronos validator finds no error and no warning, and three.js poses what was written as sinew
// poses the files of the games themselves. node test_level5.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { finish, need, needTool, readJson, sinewJson } from './judge.mjs';
import { compareParts, hasOtherRest, restsAs } from './posed.mjs';
import { validate } from './validate.mjs';

await need('three');
const { openScene, poseScene } = await import('./three_scene.mjs');
const MOST = 1e-4, PLACES = [0, 0.17, 0.5, 0.83, 1], FOUR_INFLUENCES = 19;
const [tool, samples] = process.argv.slice(2);
await needTool(tool);

// The hand of the arms hangs on five bones, and three.js reads four.
const MODELS = [['rabbit.chr', 4], ['arm1.mds', 3, FOUR_INFLUENCES], ['arm2.mds', 3, FOUR_INFLUENCES], ['toys.pak', 1]];

// Without the vertices that lie higher than `highest` at rest.
function cut(positions, rest, highest) {
    return positions.filter((_, i) => rest[i - i % 3 + 1] < highest);
}

async function judge(work, [name, clips, highest = Infinity]) {
    const source = path.join(samples, name), glb = path.join(work, `${name}.glb`);
    await promisify(execFile)(tool, ['convert', source, '-q', '-o', glb]);
    const scene = await openScene(glb), rest = await sinewJson(tool, ['pose', source, '--json']);
    if (scene.clips.length !== clips) return `${scene.clips.length} clips, not ${clips}`;
    const clipTimes = [[null, 0], ...scene.clips.flatMap((clip, i) => PLACES.map((place) => [i, Math.fround(clip.duration * place)]))];
    let worst = 0;
    if (hasOtherRest(readJson(await fs.readFile(glb)))) {
        clipTimes.shift();
        const { parts } = await sinewJson(tool, ['pose', source, '--json', '--clip', '0', '--time', '0']);
        if (!restsAs(parts, poseScene(scene, null, 0))) return 'does not rest as it stands';
    }
    for (const [clip, time] of clipTimes) {
        const which = clip === null ? [] : ['--clip', scene.clips[clip].name, '--time', String(time)];
        const ours = await sinewJson(tool, ['pose', source, '--json', ...which]);
        const theirs = poseScene(scene, clip === null ? null : scene.clips[clip], time);
        if (highest < Infinity) {
            for (const [key, positions] of theirs) theirs.set(key, cut([...positions], rest.parts[0].positions, highest));
            ours.parts[0].positions = cut(ours.parts[0].positions, rest.parts[0].positions, highest);
        }
        worst = Math.max(worst, compareParts(ours.parts.filter((part) => part.visible), theirs));
    }
    console.log(`${worst.toExponential(1).padStart(8)} ${String(clipTimes.length).padStart(5)}  ${name}`);
    return worst <= MOST ? null : `off by ${worst}`;
}

const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-level5-'));
const counts = { passed: 0, failed: 0, skipped: 0 };
try {
    console.log('   error poses  model');
    for (const model of MODELS) {
        const fault = await judge(work, model).catch((error) => error.stack);
        if (fault) console.error(`FAILED ${model[0]}: ${fault}`);
        counts[fault ? 'failed' : 'passed']++;
    }
    const found = await validate((await fs.readdir(work)).map((name) => path.join(work, name)));
    for (const key of Object.keys(counts)) counts[key] += found[key];
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
