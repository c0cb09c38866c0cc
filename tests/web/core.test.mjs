// The npm package in node: load, information, poses, skinning, conversion, archives. Native results come from the tool and from
// tests/platform/golden.txt.
//
//     SINEW_CORE=build/web/core SINEW_TOOL=build/release/sinew node --test tests/web/core.test.mjs
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));
const core = path.resolve(process.env.SINEW_CORE ?? path.join(project, 'build/web/core'));
const tool = path.resolve(process.env.SINEW_TOOL ?? path.join(project, 'build/release/sinew'));
if (!fs.existsSync(path.join(core, 'sinew_core.wasm'))) {
    console.log(`skipped: ${core} is not built`);
    process.exit(77);
}
const noTool = fs.existsSync(tool) ? false : `${tool} is not built`;
const { open, SinewError } = await import(pathToFileURL(path.join(core, 'index.mjs')));
const sinew = await open();

const sample = (name) => path.join(project, 'samples', name);
// All files of the folder, without sources.
function neighbours(file) {
    const folder = path.dirname(file);
    const names = fs.readdirSync(folder).filter((name) => !/\.[ch]$/.test(name) && fs.statSync(path.join(folder, name)).isFile());
    return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(folder, name))]));
}
const loadSample = (name, options = {}) =>
    sinew.load(fs.readFileSync(sample(name)), { name, files: neighbours(sample(name)), ...options });

test('a model has the information that the tool prints', { skip: noTool }, () => {
    for (const name of ['hound.mdx', 'soldier_skn.w3d', 'rabbit.chr', 'crane.gltf', 'golem.mdx']) {
        const expected = JSON.parse(execFileSync(tool, ['info', '--json', sample(name)], { encoding: 'utf8' }));
        const model = loadSample(name);
        const { nodes, parts, surfaces, default_clip: clip, ...info } = model.info;
        assert.deepEqual({ ...info, file: '' }, { ...expected, file: '' }, name);
        assert.equal(nodes.length, info.node_count);
        assert.equal(parts.length, info.part_count);
        assert.equal(surfaces.length, info.material_count);
        assert.ok(clip >= -1 && clip < info.clip_count);
        model.free();
    }
});

test('poses and skinned vertices are those of the tool', { skip: noTool }, () => {
    const args = ['pose', '--json', '--clip', 'Walk', '--time', '0.5', sample('hound.mdx')];
    const expected = JSON.parse(execFileSync(tool, args, { encoding: 'utf8', maxBuffer: 1 << 28 }));
    const model = loadSample('hound.mdx');
    const world = model.pose(model.findClip('Walk'), 0.5);
    expected.nodes.forEach((node, i) => assert.deepEqual([...world.slice(i * 12, i * 12 + 12)], node.world.flat().map(Math.fround), node.name));
    expected.parts.forEach((part, i) => {
        assert.equal(model.isVisible(i), part.visible);
        assert.deepEqual([...model.skin(i).positions], part.positions.flat().map(Math.fround));
    });
    model.free();
});

test('a palette moves the vertices at rest to the skinned ones', () => {
    const model = loadSample('hound.mdx');
    model.pose(model.findClip('Walk'), 0.25);
    const part = model.info.parts.findIndex((item) => item.skin >= 0), { mesh: index, skin } = model.info.parts[part];
    const mesh = model.mesh(index), palette = model.palette(skin), count = model.info.meshes[index].influence_count;
    const { positions } = model.skin(part);
    assert.equal(model.joints(skin).length, model.info.skins[skin].joint_count);
    for (let vertex = 0; vertex < mesh.positions.length / 3; vertex++) {
        const [x, y, z] = mesh.positions.slice(vertex * 3, vertex * 3 + 3), sum = [0, 0, 0];
        for (let i = 0; i < count; i++) {
            const weight = mesh.weights[vertex * count + i], at = mesh.joints[vertex * count + i] * 12;
            for (let row = 0; row < 3; row++) {
                const [a, b, c, d] = palette.slice(at + row * 4, at + row * 4 + 4);
                sum[row] += weight * (a * x + b * y + c * z + d);
            }
        }
        for (let row = 0; row < 3; row++) assert.ok(Math.abs(sum[row] - positions[vertex * 3 + row]) < 1e-2);
    }
    model.free();
});

test('converted files have the bytes that the tool writes', { skip: noTool }, () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sinew-web-'));
    for (const name of ['hound.mdx', 'soldier_skn.w3d', 'rabbit.chr', 'lantern.mdl', 'crane.gltf']) {
        for (const extension of ['glb', 'mdx', 'w3d', 'chr', 'mdl']) {
            const target = path.join(folder, extension, `${name.replace(/\..*/, '')}.${extension}`);
            fs.mkdirSync(path.dirname(target), { recursive: true });
            execFileSync(tool, ['convert', '--quiet', sample(name), '-o', target], { stdio: 'ignore' });
            const { files } = sinew.convert(fs.readFileSync(sample(name)), extension, { name, files: neighbours(sample(name)) });
            assert.equal(files[0].name, path.basename(target));
            for (const file of files)
                assert.ok(Buffer.from(file.data).equals(fs.readFileSync(path.join(path.dirname(target), file.name))), `${name} to ${file.name}`);
        }
    }
    fs.rmSync(folder, { recursive: true });
});

test('the hashes of all samples are those of every processor', () => {
    const table = fs.readFileSync(path.join(project, 'tests/platform/golden.txt'), 'utf8');
    let count = 0;
    for (const line of table.split('\n').filter((text) => text && !text.startsWith('#'))) {
        const [hash, , , , ...rest] = line.split(' '), [file, entry] = rest.join(' ').split(':');
        const bytes = fs.readFileSync(path.join(project, file)), files = neighbours(path.join(project, file));
        const archive = entry ? sinew.openArchive(bytes, { name: path.basename(file), files }) : null;
        const options = { name: path.basename(file), files, folderClips: false };
        const model = archive ? archive.load(entry, options) : sinew.load(bytes, options);
        assert.equal(model.info.hash, hash, line);
        model.free();
        archive?.close();
        count++;
    }
    assert.ok(count > 60);
});

test('an archive lists and reads its files', () => {
    const index = { 'disc.hd3': fs.readFileSync(sample('disc.hd3')) };
    for (const files of [index, new Map(Object.entries(index))]) {
        const archive = sinew.openArchive(fs.readFileSync(sample('disc.dat')), { name: 'disc.dat', files });
        assert.deepEqual(archive.info.files.filter((file) => file.is_model).map((file) => file.name), ['chara/arm.glb', 'chara/face.glb']);
        assert.ok(Buffer.from(archive.read('chara/arm.glb')).equals(fs.readFileSync(sample('arm.glb'))));
        assert.throws(() => archive.read('chara/none.glb'), SinewError);
        archive.close();
    }
});

test('an image has pixels', () => {
    const model = loadSample('hound.mdx');
    const { width, height, rgba } = model.image(0);
    assert.equal(rgba.length, width * height * 4);
    assert.equal(width, model.info.images[0].width);
    model.free();
});

test('damaged files are errors, and the next file loads', () => {
    const bytes = fs.readFileSync(sample('hound.mdx'));
    for (let size = 0; size < bytes.length; size += 997) {
        try {
            sinew.load(bytes.subarray(0, size), { name: 'hound.mdx' }).free();
        } catch (error) {
            assert.ok(error instanceof SinewError, String(error));
            assert.ok(error.message.length > 0 && error.status !== 'ok');
        }
    }
    assert.throws(() => sinew.load(new Uint8Array(4), { name: 'x.glb' }), SinewError);
    assert.throws(() => sinew.load('text'), TypeError);
    loadSample('hound.mdx').free();
});

test('the types name every function', async () => {
    const types = fs.readFileSync(path.join(core, 'index.d.ts'), 'utf8'), { Model, Sinew } = await import(pathToFileURL(path.join(core, 'index.mjs')));
    for (const of of [Model, Sinew])
        for (const name of Object.getOwnPropertyNames(of.prototype)) if (name !== 'constructor') assert.match(types, new RegExp(`\\b${name}\\b[(:]`), name);
});

test('wrong indices are refused', () => {
    const model = loadSample('hound.mdx');
    assert.throws(() => model.pose(99), RangeError);
    assert.throws(() => model.pose(0, NaN), RangeError);
    assert.throws(() => model.skin(-1), RangeError);
    assert.throws(() => model.mesh(0.5), RangeError);
    assert.throws(() => model.convert('docx'), SinewError);
    assert.throws(() => model.convert('glb', { game: 'chess' }), SinewError);
    model.free();
    assert.throws(() => model.pose(), /freed/);
});

const corpus = path.join(project, '../shared/corpus');
test('the hashes of the corpus are the native ones', { skip: fs.existsSync(corpus) ? noTool : '../shared/corpus is not there' }, () => {
    const files = fs.readdirSync(corpus, { recursive: true }).map((name) => path.join(corpus, name))
        .filter((name) => fs.statSync(name).isFile() && /\.(glb|gltf|mdx|mdl|w3d)$/i.test(name) && fs.statSync(name).size < 24 << 20).sort();
    const native = new Map();
    for (let at = 0; at < files.length; at += 200) {
        const args = ['info', '--json', '--no-anims', ...files.slice(at, at + 200)];
        let text = '';
        try {
            text = execFileSync(tool, args, { encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
        } catch (error) {
            text = error.stdout ?? '';        // some files are damaged on purpose
        }
        for (const line of text.split('\n').filter(Boolean)) {
            const { file, hash } = JSON.parse(line);
            native.set(file, hash);
        }
    }
    let compared = 0;
    for (const file of files) {
        let hash;
        try {
            const model = sinew.load(fs.readFileSync(file), { name: path.basename(file), files: folderOf(file), folderClips: false });
            hash = model.info.hash;
            model.free();
        } catch (error) {
            assert.ok(error instanceof SinewError, `${file}: ${error}`);
        }
        assert.equal(hash, native.get(file), file);
        compared += hash ? 1 : 0;
    }
    console.log(`${compared} of ${files.length} files of the corpus load, with equal hashes`);
    assert.ok(compared > 0);
});

// What a model may refer to: its folder and those below. Read once for each folder.
const folders = new Map();
function folderOf(file) {
    const folder = path.dirname(file);
    if (folders.size > 4) folders.clear();
    if (!folders.has(folder)) {
        const names = fs.readdirSync(folder, { recursive: true }).filter((name) => fs.statSync(path.join(folder, name)).isFile());
        const total = names.reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0);
        folders.set(folder, total > 64 << 20 ? {} : Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(folder, name))])));
    }
    return folders.get(folder);
}
