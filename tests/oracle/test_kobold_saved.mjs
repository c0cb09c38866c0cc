// The kobold in every game's format, posed from the bytes of the files alone by the readers beside this: every corner of every triangle
// is where three.js has it in the .glb, within the loss that sinew states, and so are the attachment points.
// node test_kobold_saved.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { exists, finish, needTool } from './judge.mjs';
import { poseModel, readModel, readModelPack } from './level5_reader.mjs';
import { poseGeosets, poseNodes, readMdx } from './mdx_reader.mjs';
import { boxOf, transform, triples } from './reading.mjs';
import { openScene, poseScene } from './three_scene.mjs';
import { findMesh, poseMesh, posePivots, readW3d } from './w3d_reader.mjs';

const [tool, samples] = process.argv.slice(2);
await needTool(tool);
const run = promisify(execFile);
const SOURCE = path.join(samples, 'kobold/kobold.glb'), POINTS = ['Hand Left Ref', 'Overhead Ref', 'Origin Ref'];
const PLACES = [0, 0.27, 0.5, 0.73, 1], MOST = 1e-4, SAME_UV = 1e-3;
// An attachment point is farther from its bone than the vertices; five times are fewer than sinew looks at.
const BEYOND = 1.2, OVERSTATED = 3;
const counts = { passed: 0, failed: 0, skipped: 0 };

const toYUp = ([x, y, z]) => [y, z, x];
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

// What each format has: clips, `pose(clip, seconds)` with all vertices, with Y up, clip -1 at rest; `corners`, three for each triangle:
// the number of its vertex and its coordinates; and where the attachment points are.

function fromGltf(scene) {
    const objects = [], corners = [];
    scene.gltf.scene.traverse((object) => { if (object.geometry) objects.push(object); });
    let base = 0;
    for (const { geometry: { index, attributes: { position, uv } } } of objects) {
        for (const i of index.array) corners.push({ vertex: base + i, uv: [uv.getX(i), uv.getY(i)] });
        base += position.count;
    }
    const pose = (clip, seconds) => {
        poseScene(scene, scene.clips[clip] ?? null, seconds);
        return objects.flatMap((object) => triples(Array.from({ length: object.geometry.attributes.position.count }, (_, i) =>
            object.getVertexPosition(i, object.position.clone()).applyMatrix4(object.matrixWorld).toArray()).flat()));
    };
    const points = (clip, seconds) => {
        poseScene(scene, scene.clips[clip] ?? null, seconds);
        return POINTS.map((name) => scene.gltf.scene.getObjectByName(name.replaceAll(' ', '_')).matrixWorld.elements.slice(12, 15));
    };
    return { clips: scene.clips.map(({ name, duration }) => ({ name, duration })), corners, pose, points };
}

function fromMdx(bytes) {
    const model = readMdx(bytes), corners = [];
    let base = 0;
    for (const { indices, uvs, vertices } of model.geosets) {
        for (const i of indices) corners.push({ vertex: base + i, uv: uvs[0][i] });
        base += vertices.length;
    }
    const at = (clip, seconds) => model.sequences[clip].start + seconds * 1000;
    return {
        clips: model.sequences.map(({ name, start, end }) => ({ name, duration: (end - start) / 1000 })), corners,
        pose: (clip, seconds) => (clip < 0 ? model.geosets.map(({ vertices }) => vertices)
            : poseGeosets(model, model.sequences[clip], at(clip, seconds)).map(({ positions, isVisible }) => isVisible ? positions : [])).flat().map(toYUp),
        points: (clip, seconds) => {
            const posed = poseNodes(model, model.sequences[clip], at(clip, seconds));
            return POINTS.map((name) => toYUp(posed.get(model.nodes.find((node) => node.kind === 'ATCH' && node.name === name).id).place.slice(12, 15)));
        },
    };
}

function fromW3d(files) {
    const all = (key) => files.flatMap((file) => file[key]), [{ pivots }] = all('hierarchies'), meshes = all('meshes'), animations = all('animations');
    const objects = all('hlods')[0].levels.at(-1).objects.map(({ bone, name }) => ({ bone, mesh: findMesh({ meshes }, name) })).filter(({ mesh }) => mesh), corners = [];
    let base = 0;
    for (const { mesh } of objects) {
        const { uvs } = mesh.passes[0].stages[0] ?? mesh.passes[0];
        for (const { corners: three } of mesh.triangles) for (const i of three) corners.push({ vertex: base + i, uv: [uvs[i][0], 1 - uvs[i][1]] });
        base += mesh.vertexCount;
    }
    const worldsOf = (clip, seconds) => posePivots(pivots, animations[clip], seconds * (animations[clip]?.rate ?? 0));
    return {
        clips: animations.map(({ name, frames, rate }) => ({ name, duration: (frames - 1) / rate })), corners,
        pose: (clip, seconds) => { const worlds = worldsOf(clip, seconds); return objects.flatMap(({ bone, mesh }) => poseMesh(mesh, worlds, bone)).map(toYUp); },
        points: (clip, seconds) => {
            const worlds = worldsOf(clip, seconds);
            return POINTS.map((name) => toYUp(worlds[pivots.findIndex((pivot) => pivot.name === name)].slice(12, 15)));
        },
    };
}

// Coordinates fit to rows of pixels as they are stored: upwards.
function fromLevel5(model) {
    const shown = model.nodes.filter(({ mesh }) => mesh), corners = [];
    let base = 0;
    for (const { mesh } of shown) {
        for (const { corners: three } of mesh.triangles) for (const { position, uv } of three) corners.push({ vertex: base + position, uv: mesh.uvs[uv].slice(0, 2) });
        base += mesh.positions.length;
    }
    return {
        clips: model.clips.map(({ name, start, end, speed }) => ({ name, duration: (end - start) / (model.rate * speed) })), corners,
        pose: (clip, seconds) => poseModel(model, model.clips[clip] ?? null, seconds).flatMap(({ positions }) => positions),
    };
}

// For each corner of theirs the vertices of ours that it may be: at the same place at rest, with the same coordinates.
function matchCorners(ours, theirs, size, problems) {
    const rest = ours.pose(-1, 0), theirRest = theirs.pose(-1, 0), cell = 4 * MOST * size, cells = new Map(), found = new Map(), used = new Set();
    const cellOf = (p, d = [0, 0, 0]) => p.map((v, k) => Math.floor(v / cell) + d[k]).join();
    for (const corner of ours.corners) {
        const key = cellOf(rest[corner.vertex]);
        if (!cells.has(key)) cells.set(key, []);
        cells.get(key).push(corner);
    }
    const around = [-1, 0, 1].flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => [x, y, z])));
    for (const { vertex, uv } of theirs.corners) {
        const alike = around.flatMap((d) => cells.get(cellOf(theirRest[vertex], d)) ?? [])
            .filter((one) => distance(rest[one.vertex], theirRest[vertex]) <= MOST * size && one.uv.every((v, k) => Math.abs(v - uv[k]) <= SAME_UV));
        if (alike.length === 0) { problems.push(`no vertex of the source is at ${theirRest[vertex]} with coordinates ${uv}`); break; }
        const candidates = new Set(alike.map((one) => one.vertex));
        for (const one of candidates) used.add(one);
        found.set(vertex, [...new Set([...found.get(vertex) ?? [], ...candidates])]);
    }
    const missing = new Set(ours.corners.map(({ vertex }) => vertex).filter((vertex) => !used.has(vertex))).size;
    if (missing) problems.push(`${missing} vertices are missing`);
    if (theirs.corners.length !== ours.corners.length) problems.push(`${theirs.corners.length / 3} triangles, ${ours.corners.length / 3} in the source`);
    return found;
}

// The largest error of vertices that sinew states: of all losses together, and of keys alone.
async function convert(args) {
    const { stdout } = await run(tool, ['convert', SOURCE, '--json', ...args]);
    const said = JSON.parse(stdout).files.flatMap(({ losses }) => losses)
        .map(({ message, path: where }) => ({ path: where, off: Number(/off by up to ([-+.e\d]+)/.exec(message)?.[1] ?? 0) }));
    const sum = (list) => list.reduce((total, { off }) => total + off, 0);
    return { vertices: sum(said), keys: sum(said.filter(({ path: where }) => where !== 'weights')) };
}

function compare(ours, theirs, stated) {
    const problems = [], { size } = boxOf(ours.pose(-1, 0)), found = matchCorners(ours, theirs, size, problems), allowed = 1.001 * stated.vertices + MOST * size;
    let worst = 0, points = 0;
    if (theirs.clips.length !== ours.clips.length) return { worst, problems: [...problems, `${theirs.clips.length} clips`] };
    for (const [clip, { name, duration }] of ours.clips.entries()) {
        if (Math.abs(theirs.clips[clip].duration - duration) > 1e-3) problems.push(`${name} lasts ${theirs.clips[clip].duration} s, not ${duration} s`);
        for (const place of PLACES) {
            const seconds = place * duration, wanted = ours.pose(clip, seconds), posed = theirs.pose(clip, seconds);
            for (const [vertex, candidates] of found) {
                const off = posed[vertex] ? Math.min(...candidates.map((one) => distance(posed[vertex], wanted[one]))) : Infinity;
                worst = Math.max(worst, off);
            }
            const wantedPoints = ours.points(clip, seconds);
            theirs.points?.(clip, seconds).forEach((at, i) => { points = Math.max(points, distance(at, wantedPoints[i])); });
        }
    }
    if (!(worst <= allowed)) problems.push(`vertices are off by ${worst}, ${stated.vertices} is stated`);
    if (!(points <= BEYOND * stated.keys + MOST * size)) problems.push(`an attachment point is off by ${points}, ${stated.keys} is stated of vertices`);
    if (stated.vertices > OVERSTATED * worst) problems.push(`${stated.vertices} is stated, but vertices are off by ${worst}`);
    return { worst: worst / size, problems };
}

const readW3dFile = async (name) => readW3d(await fs.readFile(name));

async function readSplit(folder, ours) {
    const clips = ours.clips.map(({ name }) => `k_${name}.w3d`);
    return fromW3d(await Promise.all(['k_skn.w3d', 'k_skl.w3d', ...clips].map((name) => readW3dFile(path.join(folder, name)))));
}

async function readLoose(folder) {
    const names = new Map((await fs.readdir(folder)).map((name) => [name.toLowerCase(), name])), files = new Map();
    for (const [lower, name] of names) files.set(lower, await fs.readFile(path.join(folder, name)));
    return fromLevel5(readModel([...files].find(([name]) => name.endsWith('.cfg'))[1], (name) => files.get(name)));
}

const CASES = [
    ...[['war3', 800], ['reforged', 1000], ['reforged', 1100], ['reforged', 1200]].map(([game, version]) =>
        [`MDX ${version}`, 'k.mdx', ['--target', game, '--mdx-version', String(version)], async (folder) => fromMdx(await fs.readFile(path.join(folder, 'k.mdx')))]),
    ...['raw', 'timecoded', 'adaptive'].map((kind) => [`W3D for generals, ${kind}`, 'k.w3d', ['--target', 'generals', '--w3d-animation', kind]]),
    ...['raw', 'timecoded', 'adaptive'].map((kind) => [`W3D for bfme, ${kind}`, 'k.w3d', ['--target', 'bfme', '--w3d-animation', kind]]),
    ['W3D in several files', 'k.w3d', ['--target', 'generals', '--split'], readSplit],
    ...['dark-cloud', 'dark-cloud-2'].flatMap((game) => [
        [`pack for ${game}`, 'k.chr', ['--target', game], async (folder) => fromLevel5(readModelPack(await fs.readFile(path.join(folder, 'k.chr'))))],
        [`files for ${game}`, 'k.mds', ['--target', game], readLoose]]),
];

if (!await exists(SOURCE)) throw new Error(`${SOURCE} is not there`);
const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-kobold-'));
const ours = fromGltf(await openScene(SOURCE));
try {
    for (const [i, [title, file, args, read = async (folder) => fromW3d([await readW3dFile(path.join(folder, file))])]] of CASES.entries()) {
        const folder = path.join(work, String(i));
        await fs.mkdir(folder);
        const { worst, problems, stated } = await convert(['-o', path.join(folder, file), ...args])
            .then(async (said) => ({ stated: said, ...compare(ours, await read(folder, ours), said) })).catch((error) => ({ worst: NaN, problems: [error.stack] }));
        console.log(`${worst.toExponential(1).padStart(8)} of the size, ${stated?.vertices} stated: ${title}`);
        for (const problem of problems) console.log(`FAILED ${title}: ${problem}`);
        counts[problems.length ? 'failed' : 'passed']++;
    }
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
