// Models of all formats as packs of Dark Cloud and Dark Cloud 2, read and posed by level5_reader.mjs: every rule of the games is kept,
// vertices are where sinew has those of the source, and pictures have the source's pixels. node test_level5_saved.mjs TOOL SAMPLES
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { finish, needTool, sinewJson } from './judge.mjs';
import { poseModel, readModelPack } from './level5_reader.mjs';

const [tool, samples] = process.argv.slice(2);
await needTool(tool);
const run = (args) => promisify(execFile)(tool, args);
const MOST = 1e-4, TIMES = [0.1, 0.3, 0.5, 0.7, 0.9];
// `most`: influences of a vertex, where they are more than the second game's four. A billboard faces the front: not compared.
// `bakes`: a picture is made of several layers.
const MODELS = [{ name: 'arm.glb' }, { name: 'crane.gltf' }, { name: 'face.glb' }, { name: 'golem.mdx' }, { name: 'hound.mdx', most: 6, bakes: true }, { name: 'boar.mdx', most: 6 },
    { name: 'lantern.mdl' }, { name: 'tank.w3d' }, { name: 'house.w3d', turns: true }, { name: 'serpent.w3d' }, { name: 'soldier_skn.w3d' }, { name: 'rabbit.chr' },
    { name: 'arm1.mds', most: 5 }, { name: 'arm2.mds', most: 5 }, { name: 'toys.pak' }, { name: 'kobold/kobold.glb' }];

// The largest distance from a point of one list to the nearest of the other, found among those in the same or the next cell.
function farthest(points, others, size) {
    const cell = Math.max(size * 1e-3, 1e-9), cells = new Map(), key = (p) => p.map((v) => Math.floor(v / cell)).join();
    for (const p of others) cells.set(key(p), [...(cells.get(key(p)) ?? []), p]);
    return Math.max(0, ...points.map((p) => {
        let near = Infinity;
        for (let i = 0; i < 27; i++) {
            const q = [p[0] + cell * (i % 3 - 1), p[1] + cell * (Math.floor(i / 3) % 3 - 1), p[2] + cell * (Math.floor(i / 9) - 1)];
            for (const other of cells.get(key(q)) ?? []) near = Math.min(near, Math.hypot(p[0] - other[0], p[1] - other[1], p[2] - other[2]));
        }
        return near;
    }));
}

// What sinew shows of the source; Z up becomes Y up.
async function poseSource(source, isZUp, clip, time) {
    const { parts } = await sinewJson(tool, ['pose', source, '--json', '--clip', String(clip), '--time', String(time)]);
    return parts.filter((part) => part.visible).flatMap(({ positions: p }) =>
        Array.from({ length: p.length / 3 }, (_, i) => isZUp ? [p[3 * i + 1], p[3 * i + 2], p[3 * i]] : [p[3 * i], p[3 * i + 1], p[3 * i + 2]]));
}

async function comparePoses(source, model, isZUp) {
    const info = await sinewJson(tool, ['info', source, '--json']);
    if (info.clips.length !== model.clips.length) throw new Error(`${model.clips.length} clips, not ${info.clips.length}`);
    let worst = 0;
    for (const [i, clip] of model.clips.entries()) {
        const rate = model.rate * clip.speed, seconds = rate > 0 ? (clip.end - clip.start) / rate : 0;
        if (Math.abs(seconds - info.clips[i].duration) > 1e-5) throw new Error(`clip ${i} is ${seconds} s long, not ${info.clips[i].duration}`);
        for (const place of TIMES) {
            const ours = await poseSource(source, isZUp, i, seconds * place), theirs = poseModel(model, clip, seconds * place).flatMap(({ positions }) => positions);
            const extent = (k) => Math.max(...ours.map((p) => p[k])) - Math.min(...ours.map((p) => p[k]));
            const size = Math.max(1e-9, Math.hypot(extent(0), extent(1), extent(2)));
            worst = Math.max(worst, farthest(theirs, ours, size) / size);      // vertices without a face are not written
        }
    }
    return worst;
}

function readTga(bytes) {
    const width = bytes.readUInt16LE(12), height = bytes.readUInt16LE(14), each = bytes[16] / 8, rgba = Buffer.alloc(width * height * 4, 255);
    for (let i = 0; i < width * height; i++) {
        const at = bytes[0] + 18 + each * i, to = 4 * ((height - 1 - Math.floor(i / width)) * width + i % width);
        for (let c = 0; c < each; c++) rgba[to + [2, 1, 0, 3][c]] = bytes[at + c];
    }
    return { width, height, rgba };
}

// Alpha has 128 steps. Only pictures that were not made of several layers have a file of their name.
async function comparePictures(source, model, work) {
    const folder = path.join(work, 'textures');
    await run(['extract', '-q', '--force', '--textures', 'tga', source, '-o', `${folder}/`]).catch(() => {});
    const found = (await fs.readdir(folder, { recursive: true }).catch(() => [])).filter((name) => name.endsWith('.tga'));
    let compared = 0;
    for (const name of found) {
        const picture = model.pictures.get(path.basename(name).split('.')[0]), wanted = readTga(await fs.readFile(path.join(folder, name)));
        if (!picture || picture.width !== wanted.width || picture.height !== wanted.height) continue;
        const isSame = wanted.rgba.every((value, i) => value === picture.rgba[i] || (i % 4 === 3 && value % 2 === 1 && picture.rgba[i] === value + 1));
        if (!isSame) throw new Error(`other pixels in ${name}`);
        compared++;
    }
    await fs.rm(folder, { recursive: true, force: true });
    return compared;
}

async function judge(work, { name, most = 4, turns = false, bakes = false }, game) {
    const source = path.join(samples, name), pack = path.join(work, 'x.chr');
    await run(['convert', source, '-q', '--target', game, '-o', pack]);
    const model = readModelPack(await fs.readFile(pack)), isFirst = game === 'dark-cloud';
    if (model.isFirst !== isFirst) throw new Error('written for the other game');
    const isNative = /\.(mds|chr|pak)$/.test(name);
    const first = Math.min(...model.clips.map((clip) => clip.start));
    if (!isNative && model.clips.length && first !== 1) throw new Error(`frames count from ${first}, not from 1`);
    const isCompared = !turns && (isFirst || most <= 4), isZUp = /\.(mdx|mdl|w3d)$/.test(name);
    const worst = isCompared ? await comparePoses(source, model, isZUp) : NaN;
    const pictures = bakes ? 0 : await comparePictures(source, model, work);
    console.log(`${worst.toExponential(1).padStart(8)} ${String(model.clips.length).padStart(5)} ${String(pictures).padStart(8)}  ${name} for ${game}`);
    if (worst > MOST) throw new Error(`off by ${worst}`);
}

const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-level5-'));
const counts = { passed: 0, failed: 0, skipped: 0 };
try {
    console.log('   error clips pictures  model');
    for (const model of MODELS)
        for (const game of ['dark-cloud', 'dark-cloud-2']) {
            const fault = await judge(work, model, game).then(() => null, (error) => error.stack);
            if (fault) console.error(`FAILED ${model.name} for ${game}: ${fault}`);
            counts[fault ? 'failed' : 'passed']++;
        }
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
