// Textures that sinew writes, read by others: BLP with JPEG by war3-model, DDS by mdx-m3-viewer and by a decoder of S3TC
// written here from Microsoft's specification, TGA likewise. All are compared with the same texture as TGA, which loses nothing.
// node test_textures_saved.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { finish, need, needTool } from './judge.mjs';

const { decodeBLP, getBLPImageData } = await need('war3-model');
const { DdsImage } = (await need('mdx-m3-viewer/dist/cjs/parsers/dds/image.js')).default;
const [tool, samples] = process.argv.slice(2);
await needTool(tool);
const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-textures-'));
const counts = { passed: 0, failed: 0, skipped: 0 };

// Uncompressed, rows from the bottom.
function readTGA(b) {
    const width = b.readUInt16LE(12), height = b.readUInt16LE(14), bytes = b[16] / 8, data = new Uint8Array(4 * width * height);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
            const from = 18 + bytes * ((height - 1 - y) * width + x);
            data.set([b[from + 2], b[from + 1], b[from], bytes === 4 ? b[from + 3] : 255], 4 * (y * width + x));
        }
    return { width, height, data };
}

const widen = (v, bits) => Math.round((v * 255) / (2 ** bits - 1));

function blockColors(b, at, isBC1) {
    const [c0, c1] = [b.readUInt16LE(at), b.readUInt16LE(at + 2)];
    const [p, q] = [c0, c1].map((c) => [widen(c >> 11, 5), widen((c >> 5) & 63, 6), widen(c & 31, 5)]);
    const mix = (a, z, n) => p.map((v, i) => (a * v + z * q[i]) / n);
    const colors = !isBC1 || c0 > c1 ? [p, q, mix(2, 1, 3), mix(1, 2, 3)] : [p, q, mix(1, 1, 2), [0, 0, 0, 0]];
    const bits = b.readUInt32LE(at + 4);
    return Array.from({ length: 16 }, (_, i) => [...colors[(bits >>> (2 * i)) & 3], 255].slice(0, 4));
}

function blockAlphas(b, at) {
    const [a0, a1] = [b[at], b[at + 1]], ramp = [a0, a1];
    for (let i = 1; i < (a0 > a1 ? 7 : 5); i++) ramp.push(a0 > a1 ? ((7 - i) * a0 + i * a1) / 7 : ((5 - i) * a0 + i * a1) / 5);
    if (a0 <= a1) ramp.push(0, 255);
    const bits = b.readUIntLE(at + 2, 6);
    return Array.from({ length: 16 }, (_, i) => ramp[Math.floor(bits / 8 ** i) % 8]);
}

// All levels, and whether the file ends where the last does.
function readDDS(b) {
    const code = b.toString('latin1', 84, 88), isBC1 = code === 'DXT1', levels = [];
    let width = b.readUInt32LE(16), height = b.readUInt32LE(12), at = 128;
    for (let i = 0; i < b.readUInt32LE(28); i++) {
        const data = new Float64Array(4 * width * height);
        for (let y = 0; y < height; y += 4)
            for (let x = 0; x < width; x += 4, at += isBC1 ? 8 : 16) {
                const colors = blockColors(b, isBC1 ? at : at + 8, isBC1), alphas = isBC1 ? null : blockAlphas(b, at);
                for (let k = 0; k < 16; k++) {
                    const [px, py] = [x + (k % 4), y + (k >> 2)];
                    if (px >= width || py >= height) continue;
                    if (alphas) colors[k][3] = alphas[k];
                    data.set(colors[k], 4 * (py * width + px));
                }
            }
        levels.push({ width, height, data });
        [width, height] = [Math.max(1, width >> 1), Math.max(1, height >> 1)];
    }
    return { code, levels, isWhole: at === b.length, bytes: Uint8Array.from(b) };
}

function psnr(a, b) {
    if (a.width !== b.width || a.height !== b.height) return -1;
    let sum = 0;
    a.data.forEach((v, i) => (sum += (v - b.data[i]) ** 2));
    return 10 * Math.log10((255 * 255 * a.data.length) / Math.max(sum, 1e-9));
}

async function saved(model, texture, name, kind) {
    const out = path.join(work, `${name}.mdx`);
    await promisify(execFile)(tool, ['convert', '-q', '--textures', kind, path.join(samples, model), '-o', out]);
    const file = (await fs.readdir(work)).find((f) => f.startsWith(`${name}.${texture}`) && f.endsWith(kind.slice(0, 3)));
    return fs.readFile(path.join(work, file));
}

function expect(name, isGood, what) {
    counts[isGood ? 'passed' : 'failed']++;
    if (!isGood) console.log(`${name}: ${what}`);
}

// 40 dB is what BC1 reaches for a painted texture of this size (libsquish 39.8); JPEG with steps of 1 to 12 has more.
for (const [model, name, code, least] of [['kobold/kobold.glb', 'kobold', 'DXT1', 40], ['house.w3d', 'gate', 'DXT5', 45]]) {
    const plain = readTGA(await saved(model, name, `${name}1`, 'tga'));
    const dds = readDDS(await saved(model, name, `${name}2`, 'dds')), ratio = psnr(dds.levels[0], plain);
    const count = 1 + Math.log2(Math.max(plain.width, plain.height));
    expect(name, dds.code === code && dds.isWhole && dds.levels.length === count, `DDS ${dds.code}, ${dds.levels.length} levels`);
    expect(name, ratio >= least, `DDS ${ratio.toFixed(2)} dB`);
    const other = new DdsImage();
    other.load(dds.bytes);
    const seen = psnr({ ...other.getMipmap(0) }, plain);
    expect(name, other.mipmaps() === count, `mdx-m3-viewer finds ${other.mipmaps()} levels of DDS`);
    expect(name, seen >= least - 3, `DDS in mdx-m3-viewer ${seen.toFixed(2)} dB`);    // less exact than the decoder above
    const bytes = await saved(model, name, `${name}3`, 'blp-jpeg');
    const blp = decodeBLP(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    expect(name, blp.mipmaps.length === count, `BLP with ${blp.mipmaps.length} levels`);
    const jpeg = psnr(getBLPImageData(blp, 0), plain);
    expect(name, jpeg >= 42, `BLP ${jpeg.toFixed(2)} dB`);
    for (let i = 1; i < count; i++) expect(name, getBLPImageData(blp, i).width === Math.max(1, plain.width >> i), `BLP level ${i}`);
    console.log(`${name}: DDS ${code} ${ratio.toFixed(2)} dB (mdx-m3-viewer ${seen.toFixed(2)} dB), BLP with JPEG ${jpeg.toFixed(2)} dB`);
}
await fs.rm(work, { recursive: true });
finish(counts);
