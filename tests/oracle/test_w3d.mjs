// The W3D samples as .glb, with the animations of their other files joined: the Khronos validator finds no error and no warning,
// and three.js poses what was written as sinew poses the W3D files themselves. node test_w3d.mjs TOOL SAMPLES SHARED
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
const MOST = 1e-4, PLACES = [0, 0.17, 0.5, 0.83, 1];
const [tool, samples] = process.argv.slice(2);
await needTool(tool);

const anims = (...names) => names.flatMap((name) => ['--anim', path.join(samples, `${name}.w3d`)]);
const MODELS = [
    ['soldier_skn', anims('soldier_walk', 'soldier_wave', 'soldier_bow'), 3],
    ['serpent', [], 1],
    ['tank', [], 1],
];
const SCENES = ['house'];           // two of them: three.js forgets which object is which node in all but the last

async function judge(work, [name, args, clips]) {
    const source = path.join(samples, `${name}.w3d`), glb = path.join(work, `${name}.glb`);
    await promisify(execFile)(tool, ['convert', source, ...args, '--keep-axes', '-q', '-o', glb]);
    const scene = await openScene(glb);
    if (scene.clips.length !== clips) return `${scene.clips.length} clips, not ${clips}`;
    const clipTimes = [[null, 0], ...scene.clips.flatMap((clip, i) => PLACES.map((place) => [i, Math.fround(clip.duration * place)]))];
    let worst = 0, poses = 0;
    if (hasOtherRest(readJson(await fs.readFile(glb)))) {
        clipTimes.shift();
        const { parts } = await sinewJson(tool, ['pose', source, ...args, '--json', '--clip', '0', '--time', '0']);
        if (!restsAs(parts, poseScene(scene, null, 0))) return 'does not rest as it stands';
    }
    for (const [clip, time] of clipTimes) {
        const which = clip === null ? [] : ['--clip', scene.clips[clip].name, '--time', String(time)];
        const ours = await sinewJson(tool, ['pose', source, ...args, '--json', ...which]);
        worst = Math.max(worst, compareParts(ours.parts.filter((part) => part.visible), poseScene(scene, clip === null ? null : scene.clips[clip], time)));
        poses++;
    }
    console.log(`${worst.toExponential(1).padStart(8)} ${String(poses).padStart(5)}  ${name}`);
    return worst <= MOST ? null : `off by ${worst}`;
}

const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-w3d-'));
const counts = { passed: 0, failed: 0, skipped: 0 };
try {
    console.log('   error poses  model');
    for (const model of MODELS) {
        const fault = await judge(work, model).catch((error) => error.stack);
        if (fault) console.error(`FAILED ${model[0]}: ${fault}`);
        counts[fault ? 'failed' : 'passed']++;
    }
    for (const name of SCENES)
        await promisify(execFile)(tool, ['convert', path.join(samples, `${name}.w3d`), '-q', '-o', path.join(work, `${name}.glb`)]);
    const found = await validate((await fs.readdir(work)).map((name) => path.join(work, name)));
    for (const key of Object.keys(counts)) counts[key] += found[key];
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
