// Models of all formats as W3D, read by w3d_reader.mjs: what the games require of a file holds, and vertices
// posed from the file's numbers are where sinew poses the source. node test_w3d_saved.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { exists, finish, needTool, readJson, sinewJson } from './judge.mjs';
import { boxOf, triples } from './reading.mjs';
import { checkW3d, findMesh, poseMesh, posePivots, readW3d } from './w3d_reader.mjs';

const run = promisify(execFile);
const [tool, samples] = process.argv.slice(2);
await needTool(tool);
const INPUTS = ['arm.glb', 'crane.gltf', 'face.glb', 'golem.mdx', 'hound.mdx', 'boar.mdx', 'lantern.mdl', 'tank.w3d', 'soldier_skn.w3d', 'serpent.w3d',
    'house.w3d', 'rabbit.chr', 'arm1.mds', 'arm2.mds'];
const KINDS = [['generals', 'raw'], ['generals', 'timecoded'], ['generals', 'adaptive'], ['bfme', 'raw'], ['bfme', 'timecoded']];
const EXACT = { 'crane.gltf': true, 'tank.w3d': true, 'soldier_skn.w3d': true };      // rigid, or one bone per vertex
const MOST = 1e-4;
const counts = { passed: 0, failed: 0, skipped: 0 };
const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-w3d-'));

async function checkTextures(folder, mesh, problems) {
    for (const { name } of mesh.textures)
        if (!await exists(path.join(folder, name)) && !await exists(path.join(folder, name.replace(/\.tga$/i, '.dds')))) problems.push(`texture ${name} is not there`);
}

// Vertices of the file's own numbers against those of the source; what faces +Z with Y up faces +X with Z up.
async function checkPoses(input, file, problems) {
    const source = path.join(samples, input), pivots = file.hierarchies[0].pivots;
    for (const [index, animation] of file.animations.entries())
        for (const part of [0, 0.3, 0.5, 0.8, 1]) {
            const frame = Math.round(part * (animation.frames - 1)), time = frame / animation.rate;
            const ours = await sinewJson(tool, ['pose', source, '--json', '--clip', String(index), '--time', String(time)]).catch(() => null);
            if (!ours) return problems.push(`no pose of ${input}`);
            const left = ours.parts.map((one) => /gltf|glb/.test(input) ? one.positions.map((_, i) => one.positions[i - i % 3 + [2, 0, 1][i % 3]]) : one.positions);
            const worlds = posePivots(pivots, animation, frame), { size } = boxOf(triples(left.flat()));
            for (const object of file.hlods[0].levels.at(-1).objects) {
                const mesh = findMesh(file, object.name);
                if (!mesh) continue;
                const posed = poseMesh(mesh, worlds, object.bone).flat();
                let least = Infinity;
                for (const other of left)
                    if (other.length === posed.length) least = Math.min(least, posed.reduce((most, value, i) => Math.max(most, Math.abs(value - other[i])), 0));
                if (!(least <= MOST * size)) problems.push(`${mesh.name} is off by ${least} in ${animation.name} at frame ${frame}`);
            }
        }
}

// The first texture coordinates of a .glb, as the file has them.
async function checkCoordinates(file, problems) {
    const bytes = await fs.readFile(path.join(samples, 'face.glb')), json = readJson(bytes);
    const accessor = json.accessors[json.meshes[0].primitives[0].attributes.TEXCOORD_0], view = json.bufferViews[accessor.bufferView];
    const start = 20 + bytes.readUInt32LE(12) + 8 + (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    for (let i = 0; i < accessor.count; i++) {
        const u = bytes.readFloatLE(start + i * (view.byteStride ?? 8)), v = bytes.readFloatLE(start + i * (view.byteStride ?? 8) + 4);
        const [ours, upwards] = file.meshes[0].passes[0].stages[0].uvs[i];
        if (Math.abs(ours - u) > 1e-6 || Math.abs(upwards - (1 - v)) > 1e-6) return problems.push('V does not run upwards');
    }
}

async function checkOne(input, game, animation) {
    const stem = input.split('.')[0].slice(0, 15), folder = path.join(work, `${stem}_${game}_${animation}`), output = path.join(folder, `${stem}.w3d`), problems = [];
    await fs.mkdir(folder, { recursive: true });
    await run(tool, ['convert', path.join(samples, input), '-o', output, '-q', '--target', game, '--w3d-animation', animation]);
    const file = readW3d(await fs.readFile(output));
    problems.push(...checkW3d([file], game, stem));
    for (const mesh of file.meshes) await checkTextures(folder, mesh, problems);
    if (input === 'face.glb' && game === 'generals') await checkCoordinates(file, problems);
    if (input === 'tank.w3d' && file.hlods[0].levels.length !== 3) problems.push('levels of detail are lost');
    if (/hound/.test(input) && !file.meshes.some((mesh) => mesh.textures.some(({ name }) => /^ZHC/.test(name)))) problems.push('no house colour');
    if (EXACT[input] && game === 'generals' && animation === 'raw') await checkPoses(input, file, problems);
    return problems;
}

// Every file is called like what the game looks for in it.
async function checkSplit(input, count) {
    const folder = path.join(work, `split_${input}`), problems = [];
    await fs.mkdir(folder, { recursive: true });
    await run(tool, ['convert', path.join(samples, input), '-o', path.join(folder, 'thing.w3d'), '-q', '--split', '--target', 'generals']);
    const names = (await fs.readdir(folder)).filter((name) => name.endsWith('.w3d'));
    const read = async (name) => readW3d(await fs.readFile(path.join(folder, name)));
    const skeleton = await read('thing_skl.w3d'), skin = await read('thing_skn.w3d');
    const clips = await Promise.all(names.filter((name) => !/_sk[ln]\.w3d$/.test(name)).map(async (name) => [name, await read(name)]));
    problems.push(...checkW3d([skeleton, skin, ...clips.map(([, file]) => file)], 'generals', 'thing_skn'));
    if (skeleton.hierarchies[0]?.name !== 'thing_skl' || skin.hierarchies.length) problems.push('the skeleton is not in its file');
    if (clips.length !== count) problems.push(`${clips.length} animations: ${clips.map(([name]) => name)}`);
    for (const [name, { animations }] of clips)
        if (animations.length !== 1 || `${animations[0].name}.w3d` !== name) problems.push(`${name} holds ${animations[0]?.name}`);
    return problems;
}

async function judge(label, check) {
    const problems = await check().catch((error) => [error.stack]);
    counts[problems.length ? 'failed' : 'passed']++;
    for (const problem of new Set(problems)) console.log(`FAILED ${label}: ${problem}`);
}

try {
    for (const input of INPUTS)
        for (const [game, animation] of KINDS) await judge(`${input} for ${game}, ${animation}`, () => checkOne(input, game, animation));
    await judge('soldier in several files', () => checkSplit('soldier_skn.w3d', 3));
    await judge('hound in several files', () => checkSplit('hound.mdx', 3));
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
