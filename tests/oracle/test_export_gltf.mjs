// What glTF holds only by a detour, written by write_hard_models beside the tool's tests: the Khronos validator finds no error and
// no warning, three.js poses it as sinew does. node test_export_gltf.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findModels, finish, need, readJson } from './judge.mjs';
import { comparePoses } from './three_pose.mjs';
import { validate } from './validate.mjs';

// Players that do not know KHR_animation_pointer must not see shorter clips.
function findShortClips({ animations = [], accessors }) {
    return animations.filter(({ channels, samplers }) => {
        const end = (some) => Math.max(0, ...some.map((channel) => accessors[samplers[channel.sampler].input].max[0]));
        return end(channels.filter((channel) => channel.target.path !== 'pointer')) < end(channels);
    });
}

await need('three');
const [tool] = process.argv.slice(2);
const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-export-'));
const counts = { passed: 0, failed: 0, skipped: 0 };
try {
    await promisify(execFile)(path.join(path.dirname(tool), 'tests', 'write_hard_models'), [work]);
    const models = (await findModels(work)).map((name) => path.join(work, name));
    const jsons = await Promise.all(models.map(async (name) => readJson(await fs.readFile(name))));
    const alone = models.filter((name, i) => jsons[i].scenes.length === 1);          // three.js gives a shared root to the last scene
    for (const [i, json] of jsons.entries()) {
        const short = findShortClips(json);
        counts[short.length ? 'failed' : 'passed']++;
        if (short.length) console.log(`FAILED ${models[i]}: "${short[0].name}" is shorter without its pointers`);
    }
    for (const found of [await validate(models), await comparePoses(tool, alone)])
        for (const key of Object.keys(counts)) counts[key] += found[key];
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
