// sinew's tangents beside those of MikkTSpace (npm: mikktspace), corner by corner.
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findModels, skip } from './judge.mjs';

const run = promisify(execFile);
const TOLERANCE = 1e-3;
const MOST_BYTES = 6 << 20;

// A grid over (s, t) in 0..1, bent by `place`, with texture coordinates by `uv`. Normals are measured.
function sheet(columns, rows, place, uv) {
    const positions = [], normals = [], uvs = [], indices = [];
    for (let r = 0; r <= rows; r++) {
        for (let c = 0; c <= columns; c++) {
            const s = c / columns, t = r / rows, h = 1e-4;
            const a = place(s + h, t), b = place(s - h, t), d = place(s, t + h), e = place(s, t - h);
            const x = a.map((v, i) => v - b[i]), y = d.map((v, i) => v - e[i]);
            const n = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
            const length = Math.hypot(...n);
            positions.push(...place(s, t));
            normals.push(...(length > 1e-12 ? n.map((v) => v / length) : [0, t < 0.5 ? 1 : -1, 0]));
            uvs.push(...uv(s, t));
        }
    }
    for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
            const i = r * (columns + 1) + c, k = i + columns + 1;
            indices.push(i, i + 1, k + 1, i, k + 1, k);
        }
    }
    return { positions, normals, uvs, indices };
}

const flat = (s, t) => [s, t, 0];
const ball = (s, t) => [Math.sin(Math.PI * t) * Math.cos(2 * Math.PI * s), Math.cos(Math.PI * t),
    Math.sin(Math.PI * t) * Math.sin(2 * Math.PI * s)];
const hills = (s, t) => [s, 0.2 * Math.sin(9 * s) * Math.cos(7 * t), t];
// Seen from the front, the texture on its sides runs opposite ways: exactly so or not is a matter of rounding.
const hat = (s, t) => {
    const angle = 2 * Math.PI * Math.round(((s + 1) % 1) * 1e6) / 1e6;
    return [(1 - t) * Math.cos(angle), 1.5 * t, (1 - t) * Math.sin(angle) - 0.6 * t * t];
};
const fromFront = (s, t) => hat(s, t).slice(0, 2);
const straight = (s, t) => [s, t];
const mirrored = (s, t) => [Math.abs(s - 0.5), t];
const turned = (s, t) => [0.3 * s - 2 * t, s + 0.1 * t * t];
const pinched = (s, t) => [Math.max(s, 0.4), t];     // some faces without any texture area

const shapes = {
    square: sheet(1, 1, flat, straight), sphere: sheet(24, 12, ball, straight), half_mirrored: sheet(24, 12, ball, mirrored),
    turned: sheet(16, 16, hills, turned), pinched: sheet(10, 10, hills, pinched),
    hat: sheet(12, 4, hat, fromFront),
};

function gltfOf({ positions, normals, uvs, indices }) {
    const arrays = [new Float32Array(positions), new Float32Array(normals), new Float32Array(uvs), new Uint32Array(indices)];
    const bytes = Buffer.concat(arrays.map((a) => Buffer.from(a.buffer)));
    const types = ['VEC3', 'VEC3', 'VEC2', 'SCALAR'], widths = [3, 3, 2, 1];
    let at = 0;
    const bufferViews = arrays.map((a) => ({ buffer: 0, byteOffset: (at += a.byteLength) - a.byteLength, byteLength: a.byteLength }));
    const accessors = arrays.map((a, i) => ({ bufferView: i, componentType: i === 3 ? 5125 : 5126, type: types[i],
        count: a.length / widths[i] }));
    const primitives = [{ attributes: { POSITION: 0, NORMAL: 1, TEXCOORD_0: 2 }, indices: 3 }];
    return JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
        meshes: [{ primitives }], accessors, bufferViews,
        buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }] });
}

// What is defined without a texture is of no use where the normal is X itself; sinew takes Y there.
function isExcused(mesh, theirs, corner) {
    return theirs[corner * 4] === 1 && Math.abs(mesh.normals[corner * 3]) >= 0.999;
}

// The number of corners that differ, or null where the judge gives up.
function countDifferent(generateTangents, mesh) {
    let theirs;
    try {
        theirs = generateTangents(new Float32Array(mesh.positions), new Float32Array(mesh.normals), new Float32Array(mesh.uvs));
    } catch {
        return null;
    }
    let different = 0;
    for (let corner = 0; corner * 4 < theirs.length; corner++) {
        const at = corner * 4, far = [0, 1, 2].some((i) => !(Math.abs(theirs[at + i] - mesh.tangents[at + i]) <= TOLERANCE));
        const w = -theirs[at + 3];     // the judge's textures begin at the bottom
        if ((far && !isExcused(mesh, theirs, corner)) || w !== mesh.tangents[at + 3]) different++;
    }
    return different;
}

async function judgeFile(program, generateTangents, file, tally) {
    const printed = await run(program, [file], { maxBuffer: 1 << 30 }).catch(() => null);
    if (!printed) return;     // not a model that sinew reads: others judge that
    for (const [index, mesh] of JSON.parse(printed.stdout).entries()) {
        const different = countDifferent(generateTangents, mesh);
        if (different === null) skip(tally, 'mikktspace gives up on a mesh');
        else if (different === 0) tally.passed++;
        else tally.failed++, console.log(`${file}: mesh ${index}: ${different} corners differ`);
    }
}

export async function compareTangents(program, generateTangents, folders) {
    const tally = { passed: 0, failed: 0, skipped: 0 };
    const own = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-tangents-'));
    for (const [name, shape] of Object.entries(shapes)) await fs.writeFile(path.join(own, `${name}.gltf`), gltfOf(shape));
    for (const folder of [own, ...folders]) {
        for (const name of await findModels(folder)) {
            const file = path.join(folder, name);
            if ((await fs.stat(file)).size <= MOST_BYTES) await judgeFile(program, generateTangents, file, tally);
        }
    }
    await fs.rm(own, { recursive: true });
    return tally;
}
