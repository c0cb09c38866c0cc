// Models of all formats as W3D, read by a reader of our own (w3d_reader.mjs): what the games require of a file holds, and vertices
// posed from the file's numbers are where sinew poses the source. node test_w3d_saved.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { exists, finish, needTool, readJson, sinewJson } from './judge.mjs';
import { poseMesh, posePivots, readW3d } from './w3d_reader.mjs';

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

const same = (a, b) => a.toLowerCase() === b.toLowerCase();
const span = (points) => [0, 1, 2].map((k) => points.filter((_, i) => i % 3 === k)).map((axis) => [axis.reduce((a, b) => Math.min(a, b)), axis.reduce((a, b) => Math.max(a, b))]);

async function checkTextures(folder, mesh, problems) {
    for (const texture of mesh.textures) {
        if (!/\.(tga|dds)$/i.test(texture) || /[\\/]/.test(texture)) problems.push(`texture ${texture}`);
        const found = await exists(path.join(folder, texture)) || await exists(path.join(folder, texture.replace(/\.tga$/i, '.dds')));
        if (!found) problems.push(`texture ${texture} is not there`);
    }
}

function checkMesh(mesh, game, pivots, isFromW3d, problems) {
    const box = span(mesh.isSkin ? poseMesh(mesh, posePivots(pivots, null, 0), 0) : mesh.places), size = Math.hypot(...box.map(([a, b]) => b - a));
    for (let k = 0; k < 3; k++)
        if (Math.abs(box[k][0] - mesh.box[0][k]) > 1e-4 * size + 1e-6 || Math.abs(box[k][1] - mesh.box[1][k]) > 1e-4 * size + 1e-6) problems.push(`the box of ${mesh.name} is wrong`);
    const isTransparent = mesh.passCount > 1 && mesh.firstShader[3] !== 0;
    if (isTransparent && !isFromW3d) problems.push(`${mesh.name} is transparent in several passes`);
    for (const [a, b, first, second] of mesh.influences ?? []) {
        if (a >= pivots.length || b >= pivots.length) problems.push('an influence has a bone too many');
        if (game === 'generals' ? b || first || second : first + second !== 100) problems.push(`influence ${[a, b, first, second]}`);
    }
    if (game === 'generals' && (mesh.places2 || mesh.effects.length || mesh.tangents)) problems.push('Generals has no second bones, effects or tangents');
    if (game === 'bfme' && mesh.isSkin && !mesh.places2) problems.push('a skin of BFME has no second positions');
    if (game === 'bfme' && mesh.uvs && (!mesh.tangents || !mesh.bitangents)) problems.push('no tangents');
    if (game !== 'bfme' || !mesh.isSkin) return;
    const worlds = posePivots(pivots, null, 0);                // both bones have the vertex in one place in the base pose
    mesh.influences.forEach(([a, b, , second], i) => {
        const one = { isSkin: false, vertexCount: 1, places: mesh.places.slice(3 * i, 3 * i + 3) }, two = { ...one, places: mesh.places2.slice(3 * i, 3 * i + 3) };
        const p = poseMesh(one, worlds, a), q = poseMesh(two, worlds, b);
        if (second > 0 && Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) > 1e-4 * size) problems.push('the second position is elsewhere');
    });
}

function checkHlod(file, pivots, stem, problems) {
    const names = new Set([...file.meshes.map((mesh) => `${mesh.container}.${mesh.name}`), ...file.others].map((name) => name.toLowerCase()));
    if (names.size !== file.meshes.length + file.others.length) problems.push('names of objects repeat');
    for (const hlod of file.hlods) {
        if (hlod.name !== stem) problems.push(`HLOD ${hlod.name} in ${stem}`);
        for (const object of hlod.levels.flat()) {
            const mesh = file.meshes.find((other) => same(`${other.container}.${other.name}`, object.name));
            if (object.bone >= pivots.length) problems.push('an object on a bone that is not there');
            if (mesh?.isSkin && object.bone !== 0) problems.push(`skin ${mesh.name} on bone ${object.bone}`);
            if (object.name.startsWith(`${stem}.`) && !names.has(object.name.toLowerCase())) problems.push(`${object.name} is not in the file`);
        }
        for (const mesh of file.meshes)
            if (!hlod.levels.flat().some((object) => same(object.name, `${mesh.container}.${mesh.name}`))) problems.push(`${mesh.name} is not in the HLOD`);
    }
    for (const mesh of file.meshes) if (mesh.container !== stem) problems.push(`container ${mesh.container} in ${stem}`);
}

function checkAnimations(animations, hierarchy, pivots, game, problems) {
    for (const animation of animations) {
        if (animation.hierarchy !== hierarchy) problems.push(`animation of ${animation.hierarchy}`);
        for (const channel of animation.channels) {
            if (channel.pivot === 0 || channel.pivot >= pivots.length) problems.push(`a channel of pivot ${channel.pivot}`);
            if (channel.type === 15 && game !== 'bfme') problems.push('Generals has no fade channels');
        }
    }
    if (new Set(animations.map((animation) => animation.name.toLowerCase())).size !== animations.length) problems.push('names of animations repeat');
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
            const worlds = posePivots(pivots, animation, frame), size = Math.hypot(...span(left.flat()).map(([a, b]) => b - a));
            for (const object of file.hlods[0].levels.at(-1)) {
                const mesh = file.meshes.find((other) => same(`${other.container}.${other.name}`, object.name));
                if (!mesh) continue;
                const posed = poseMesh(mesh, worlds, object.bone);
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
        if (Math.abs(file.meshes[0].uvs[2 * i] - u) > 1e-6 || Math.abs(file.meshes[0].uvs[2 * i + 1] - (1 - v)) > 1e-6) return problems.push('V does not run upwards');
    }
}

async function checkOne(input, game, animation) {
    const stem = input.split('.')[0].slice(0, 15), folder = path.join(work, `${stem}_${game}_${animation}`), output = path.join(folder, `${stem}.w3d`), problems = [];
    await fs.mkdir(folder, { recursive: true });
    await run(tool, ['convert', path.join(samples, input), '-o', output, '-q', '--target', game, '--w3d-animation', animation]);
    const file = readW3d(await fs.readFile(output), problems), pivots = file.hierarchies[0].pivots;
    if (file.hierarchies.length !== 1 || file.hierarchies[0].name !== stem) problems.push('the hierarchy is not called like the file');
    for (const mesh of file.meshes) {
        checkMesh(mesh, game, pivots, /w3d/.test(input), problems);
        await checkTextures(folder, mesh, problems);
    }
    checkHlod(file, pivots, stem, problems);
    checkAnimations(file.animations, stem, pivots, game, problems);
    if (input === 'face.glb' && game === 'generals') await checkCoordinates(file, problems);
    if (input === 'tank.w3d' && file.hlods[0].levels.length !== 3) problems.push('levels of detail are lost');
    if (/hound/.test(input) && !file.meshes.some((mesh) => mesh.textures.some((texture) => /^ZHC/.test(texture)))) problems.push('no house colour');
    if (EXACT[input] && game === 'generals' && animation === 'raw') await checkPoses(input, file, problems);
    return problems;
}

// Every file is called like what the game looks for in it.
async function checkSplit(input, count) {
    const folder = path.join(work, `split_${input}`), problems = [];
    await fs.mkdir(folder, { recursive: true });
    await run(tool, ['convert', path.join(samples, input), '-o', path.join(folder, 'thing.w3d'), '-q', '--split', '--target', 'generals']);
    const names = (await fs.readdir(folder)).filter((name) => name.endsWith('.w3d'));
    const read = async (name) => readW3d(await fs.readFile(path.join(folder, name)), problems);
    const skeleton = await read('thing_skl.w3d'), skin = await read('thing_skn.w3d'), pivots = skeleton.hierarchies[0].pivots;
    if (skeleton.hierarchies[0].name !== 'thing_skl' || skin.hlods[0].hierarchy !== 'thing_skl' || skin.hierarchies.length) problems.push('the skeleton is not in its file');
    checkHlod(skin, pivots, 'thing_skn', problems);
    for (const mesh of skin.meshes) checkMesh(mesh, 'generals', pivots, true, problems);
    const clips = names.filter((name) => !/_sk[ln]\.w3d$/.test(name));
    if (clips.length !== count) problems.push(`${clips.length} animations: ${clips}`);
    for (const name of clips) {
        const file = await read(name);
        if (file.animations.length !== 1 || `${file.animations[0].name}.w3d` !== name) problems.push(`${name} holds ${file.animations[0]?.name}`);
        checkAnimations(file.animations, 'thing_skl', pivots, 'generals', problems);
    }
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
