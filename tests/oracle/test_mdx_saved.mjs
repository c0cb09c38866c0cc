// Models of other formats as Warcraft III models: war3-model and mdx-m3-viewer read them and agree about counts and extents; the
// sanity test of mdx-m3-viewer, which modders run before they publish, finds no error and nothing severe but a missing
// "Stand" or "Death", which a tank does not have. node test_mdx_saved.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { finish, need, needTool, sinewJson } from './judge.mjs';
import { checkMdx, poseGeosets, readMdx } from './mdx_reader.mjs';
import { boxOf, triples } from './reading.mjs';
import { findAll, findSevere, Model } from './sanity.mjs';

const { parseMDX, parseMDL, decodeBLP, getBLPImageData } = await need('war3-model');

const [tool, samples] = process.argv.slice(2);
await needTool(tool);
const inputs = ['arm.glb', 'crane.gltf', 'tank.w3d', 'soldier_skn.w3d', 'serpent.w3d', 'house.w3d', 'rabbit.chr', 'arm2.mds', 'kobold/kobold.glb', 'golem.mdx', 'hound.mdx'];
const targets = [['mdx', 800], ['mdl', 800], ['mdx', 1000], ['mdx', 1100], ['mdx', 1200]];
// Poses of hound.mdx are not compared: its vertices have up to six bones, Reforged four.
const MOST = 1e-3, PLACES = [0, 0.4, 1];         // bytes of weights: an error of 1/510 each
const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-mdx-'));
const counts = { passed: 0, failed: 0, skipped: 0 };

// What both readers found, in one form.
const vertexCount = (geoset) => geoset.Vertices.length / 3;

function compare(bytes, extension, version) {
    const problems = [];
    if (extension === 'mdx') problems.push(...checkMdx(readMdx(bytes)).filter((problem) => problem !== 'a camera, and no Portrait sequence'));        // of the source
    if (version === 1200) return problems;         // only mdx_reader.mjs knows it
    const text = bytes.toString('utf8');
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const one = extension === 'mdl' ? parseMDL(text) : parseMDX(buffer);
    if (one.Version < 1100) {        // mdx-m3-viewer does not know later ones
        const two = new Model();
        two.load(extension === 'mdl' ? text : new Uint8Array(buffer));
        const same = (what, a, b) => { if (a !== b) problems.push(`${what}: war3-model ${a}, mdx-m3-viewer ${b}`); };
        same('sequences', one.Sequences.length, two.sequences.length);
        same('geosets', one.Geosets.length, two.geosets.length);
        same('bones', one.Bones.length, two.bones.length);
        same('pivots', one.PivotPoints.length, two.pivotPoints.length);
        one.Geosets.forEach((geoset, i) => same(`vertices of geoset ${i}`, vertexCount(geoset), two.geosets[i].vertices.length / 3));
        one.Sequences.forEach((sequence, i) => same(`end of sequence ${i}`, sequence.Interval[1], two.sequences[i].interval[1]));
        if (one.Version === 800) problems.push(...findSevere(two));
    }
    if (one.Geosets.length === 0) problems.push('no geosets');
    return problems;
}

// Where sinew poses the source, with Z up, the file has a vertex, and the reverse; nothing that faces the camera.
async function comparePoses(input, model) {
    const problems = [];
    for (const [index, sequence] of model.sequences.entries())
        for (const place of PLACES) {
            const seconds = (sequence.end - sequence.start) / 1000 * place;
            const { parts } = await sinewJson(tool, ['pose', path.join(samples, input), '--json', '--clip', String(index), '--time', String(seconds)]);
            const isYUp = !/\.(w3d|mdx|mdl)$/.test(input), posed = poseGeosets(model, sequence, sequence.start + seconds * 1000);
            if (posed.some((one) => one.isTurned)) continue;
            const wanted = parts.filter(({ visible }) => visible).flatMap(({ positions }) => triples(positions)).map(([x, y, z]) => isYUp ? [z, x, y] : [x, y, z]);
            const found = posed.filter(({ isVisible }) => isVisible).flatMap(({ positions }) => positions), { size } = boxOf(wanted);
            const off = Math.max(farthest(found, wanted), farthest(wanted, found)) / size;
            if (off > MOST) problems.push(`vertices are off by ${off} of the size in ${sequence.name} at ${seconds} s`);
        }
    return problems;
}

// The largest distance of a point of one list to the nearest of another.
function farthest(points, others) {
    const sorted = others.toSorted((a, b) => a[0] - b[0]);
    let worst = 0;
    for (const p of points) {
        let low = 0, high = sorted.length, near = Infinity;
        while (low < high) { const middle = (low + high) >> 1; if (sorted[middle][0] < p[0]) low = middle + 1; else high = middle; }
        for (let i = low; i < sorted.length && sorted[i][0] - p[0] < near; i++) near = Math.min(near, Math.hypot(p[0] - sorted[i][0], p[1] - sorted[i][1], p[2] - sorted[i][2]));
        for (let i = low - 1; i >= 0 && p[0] - sorted[i][0] < near; i--) near = Math.min(near, Math.hypot(p[0] - sorted[i][0], p[1] - sorted[i][1], p[2] - sorted[i][2]));
        worst = Math.max(worst, near);
    }
    return worst;
}

// The largest difference of a channel between an uncompressed TGA and the BLP that war3-model decodes; their alpha too.
function compareImages(tga, blp) {
    const [width, height, bytes] = [tga.readUInt16LE(12), tga.readUInt16LE(14), tga[16] / 8];
    const image = decodeBLP(blp.buffer.slice(blp.byteOffset, blp.byteOffset + blp.length));
    const { data } = getBLPImageData(image, 0);
    if (tga[2] !== 2 || image.width !== width || image.height !== height) return Infinity;
    let largest = 0;
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
            const row = tga[17] & 32 ? y : height - 1 - y;
            const from = 18 + tga[0] + (row * width + x) * bytes, to = (y * width + x) * 4;
            const rgba = [tga[from + 2], tga[from + 1], tga[from], bytes === 4 ? tga[from + 3] : 255];
            rgba.forEach((value, i) => { largest = Math.max(largest, Math.abs(value - data[to + i])); });
        }
    return largest;
}

try {
    await promisify(execFile)(tool, ['convert', path.join(samples, 'tank.w3d'), '-o', path.join(work, 'blp/tank.mdx'), '-q', '--target', 'war3']);
    const blp = (await fs.readdir(path.join(work, 'blp'))).find((name) => name.endsWith('.blp'));
    const off = compareImages(await fs.readFile(path.join(samples, 'tank.tga')), await fs.readFile(path.join(work, 'blp', blp)));
    counts[off === 0 ? 'passed' : 'failed']++;      // it has few colours
    if (off !== 0) console.log(`FAILED ${blp}: differs by ${off} of 255 from tank.tga`);
    for (const sample of ['hound.mdx', 'lantern.mdl', 'golem.mdx']) {     // as they are; golem's version is one that only war3-model reads
        const output = path.join(work, `sample_${sample}`);
        if (sample === 'golem.mdx') await promisify(execFile)(tool, ['convert', path.join(samples, sample), '-o', output, '-q', '--target', 'reforged']);
        else await fs.copyFile(path.join(samples, sample), output);
        const bytes = await fs.readFile(output);
        const model = new Model();
        model.load(sample.endsWith('.mdl') ? bytes.toString('utf8') : new Uint8Array(bytes));
        const problems = findAll(model);
        counts[problems.length ? 'failed' : 'passed']++;
        for (const problem of problems) console.log(`FAILED ${sample}: ${problem}`);
    }
    for (const input of inputs)
        for (const [extension, version] of targets) {
            const output = path.join(work, `${path.basename(input).split('.')[0]}_${version}.${extension}`);
            await promisify(execFile)(tool, ['convert', path.join(samples, input), '-o', output, '-q', '--mdx-version', version]);
            const problems = compare(await fs.readFile(output), extension, version);
            if (version === 1200 && input !== 'hound.mdx') problems.push(...await comparePoses(input, readMdx(await fs.readFile(output))));
            counts[problems.length ? 'failed' : 'passed']++;
            for (const problem of problems) console.log(`FAILED ${input} as ${extension} ${version}: ${problem}`);
        }
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
