// Images that become PNG on conversion, judged by others: node's zlib unpacks the PNG, war3-model decodes the BLP.
// node test_pictures.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { exists, finish, needTool, readJson, skip } from './judge.mjs';

const run = promisify(execFile);
const [tool, , shared] = process.argv.slice(2);
await needTool(tool);
const war3 = await import('war3-model').then((module) => module.default ?? module, () => null);
const JPEG_TOLERANCE = 3;       // two ways to round the same cosines

// A triangle that shows the image.
function modelWith(image) {
    const geometry = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1]).buffer);
    const uri = (bytes) => `data:application/octet-stream;base64,${bytes.toString('base64')}`;
    return JSON.stringify({
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
        buffers: [{ byteLength: 60, uri: uri(geometry) }],
        bufferViews: [{ buffer: 0, byteLength: 36 }, { buffer: 0, byteOffset: 36, byteLength: 24 }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
            { bufferView: 1, componentType: 5126, count: 3, type: 'VEC2' }],
        images: [{ uri: uri(image) }], textures: [{ source: 0 }],
        materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }],
    });
}

// The bytes of the one image in what sinew makes of it.
async function convert(work, image) {
    const from = path.join(work, 'in.gltf'), to = path.join(work, 'out.glb');
    await fs.writeFile(from, modelWith(image));
    await run(tool, ['convert', from, '-o', to, '--quiet']);
    const glb = await fs.readFile(to), json = readJson(glb);
    if (!json.images) throw new Error('the image was left out');
    const start = 20 + glb.readUInt32LE(12) + 8, view = json.bufferViews[json.images[0].bufferView];
    return glb.subarray(start + (view.byteOffset ?? 0), start + (view.byteOffset ?? 0) + view.byteLength);
}

// PNG as its specification has it, for the kinds that sinew writes: no interlacing, at most 8 bits.
function readChunks(png) {
    const chunks = {};
    for (let at = 8; at < png.length;) {
        const size = png.readUInt32BE(at), type = png.toString('latin1', at + 4, at + 8);
        if (zlib.crc32 && zlib.crc32(png.subarray(at + 4, at + 8 + size)) !== png.readUInt32BE(at + 8 + size)) throw new Error(`CRC of ${type}`);
        chunks[type] = Buffer.concat([chunks[type] ?? Buffer.alloc(0), png.subarray(at + 8, at + 8 + size)]);
        at += size + 12;
    }
    return chunks;
}

function foretell(filter, left, up, corner) {
    if (filter < 4) return [0, left, up, left + up >> 1][filter];
    const guess = left + up - corner;
    const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

function decodePng(png) {
    const chunks = readChunks(png), header = chunks.IHDR;
    const width = header.readUInt32BE(0), height = header.readUInt32BE(4), depth = header[8], color = header[9];
    const channels = [1, 0, 3, 1, 2, 0, 4][color], step = Math.max(1, channels * depth / 8), size = Math.ceil(width * channels * depth / 8);
    const raw = zlib.inflateSync(chunks.IDAT), data = Buffer.alloc(width * height * 4);
    let above = Buffer.alloc(size);
    for (let y = 0; y < height; y++) {
        const filter = raw[y * (size + 1)], row = Buffer.from(raw.subarray(y * (size + 1) + 1, (y + 1) * (size + 1)));
        for (let i = 0; i < size; i++) row[i] += foretell(filter, i < step ? 0 : row[i - step], above[i], i < step ? 0 : above[i - step]);
        for (let x = 0; x < width; x++) {
            const bit = x * depth, sample = depth < 8 ? row[bit >> 3] >> 8 - depth - bit % 8 & (1 << depth) - 1 : row[x * channels];
            const at = (y * width + x) * 4, from = row.subarray(x * channels, x * channels + channels);
            if (color === 3) data.set([...chunks.PLTE.subarray(sample * 3, sample * 3 + 3), chunks.tRNS?.[sample] ?? 255], at);
            else if (channels < 3) data.set([from[0], from[0], from[0], from[1] ?? 255], at);
            else data.set([from[0], from[1], from[2], from[3] ?? 255], at);
        }
        above = row;
    }
    return { width, height, data };
}

function compare(name, got, wanted, tolerance, counts) {
    let worst = got.width === wanted.width && got.height === wanted.height ? 0 : 256;
    for (let i = 0; worst < 256 && i < wanted.data.length; i++) worst = Math.max(worst, Math.abs(got.data[i] - wanted.data[i]));
    counts[worst <= tolerance ? 'passed' : 'failed']++;
    if (worst > tolerance) console.log(`FAILED ${name}: off by ${worst}`);
}

// Pictures of every kind of PNG, as TGA: what is written there is what must come out.
const pictures = {
    noise: (x, y, i) => [i * 7919 % 251, i * 104729 % 241, i * 1299709 % 239, i * 15485863 % 233],
    slope: (x, y) => [x * 2 & 255, y * 3 & 255, x + y & 255, 255],
    grey: (x, y) => [x ^ y, x ^ y, x ^ y, 255].map((value) => value & 255),
    greyAlpha: (x, y) => [x & 255, x & 255, x & 255, y & 255],
    few: (x, y) => [[255, 0, 0, 255], [0, 0, 0, 0], [1, 2, 3, 128]][(x >> 3) + (y >> 2) & 1 ? (x + y) % 3 : 0],
    indexed: (x, y) => [(x >> 2) * 16 & 255, (y >> 2) * 16 & 255, 77, 255],
};

function makeTga(width, height, of) {
    const data = Buffer.alloc(width * height * 4), head = Buffer.alloc(18);
    head[2] = 2, head[16] = 32, head[17] = 0x28;
    head.writeUInt16LE(width, 12), head.writeUInt16LE(height, 14);
    for (let i = 0; i < width * height; i++) data.set(of(i % width, Math.floor(i / width), i), i * 4);
    const pixels = Buffer.from(data);
    for (let i = 0; i < pixels.length; i += 4) pixels[i] = data[i + 2], pixels[i + 2] = data[i];
    return { file: Buffer.concat([head, pixels]), width, height, data };
}

const counts = { passed: 0, failed: 0, skipped: 0 };
const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-images-'));
try {
    for (const [name, of] of Object.entries(pictures))
        for (const [width, height] of [[1, 1], [3, 5], [64, 64], [301, 203]]) {
            const tga = makeTga(width, height, of);
            compare(`${name} ${width} x ${height}`, decodePng(await convert(work, tga.file)), tga, 0, counts);
        }
    const folder = path.join(shared ?? '', 'corpus/mdx');
    const names = await exists(folder) ? await fs.readdir(folder, { recursive: true }) : [];
    for (const name of names.filter((one) => one.endsWith('.blp')).sort()) {
        const file = await fs.readFile(path.join(folder, name));
        if (!war3 || file.toString('latin1', 0, 4) !== 'BLP1') { skip(counts, 'war3-model reads only BLP1'); continue; }
        const blp = war3.decodeBLP(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
        compare(name, decodePng(await convert(work, file)), war3.getBLPImageData(blp, 0), JPEG_TOLERANCE, counts);
    }
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
