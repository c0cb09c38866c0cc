// sinew in JavaScript: loads skeletal models of classic games, poses, skins and converts them. In node and in browsers.
//
//     import { open } from '@sinew/core';
//     const sinew = await open();
//     const model = sinew.load(bytes, { name: 'hound.mdx', files: { 'hound.blp': blp } });
//     model.pose(model.findClip('Walk'), 0.5);
//     const { positions } = model.skin(0);
//     model.free();
import createSinew from './sinew_core.mjs';
import { Binding, LOAD, SinewError, cleanPath } from './binding.mjs';

export { SinewError };

async function readModule() {
    const url = new URL('./sinew_core.wasm', import.meta.url);
    if (url.protocol !== 'file:') {
        const response = await fetch(url);
        if (!response.ok) throw new Error(`cannot read ${url}: ${response.status}`);
        return new Uint8Array(await response.arrayBuffer());
    }
    const { readFile } = await import('node:fs/promises');
    return new Uint8Array(await readFile(url));
}

// Compiles the module. `wasm`: its bytes, where the program has them already.
export async function open({ wasm } = {}) {
    const module = await createSinew({
        wasmBinary: wasm ?? await readModule(),
        noInitialRun: true,
        print() {},
        printErr() {},
    });
    return new Sinew(new Binding(module));
}

function asBytes(data) {
    if (data instanceof Uint8Array) return data;
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    throw new TypeError('a file must be a Uint8Array or an ArrayBuffer');
}

const entriesOf = (files = {}) => (files instanceof Map ? [...files] : Object.entries(files));

function loadFlags(options) {
    return (options.keepDocument ? LOAD.keepDocument : 0) | (options.continuous ? LOAD.continuous : 0) |
        (options.tangents ? LOAD.tangents : 0) | (options.lint ? LOAD.lint : 0) |
        (options.folderClips === false ? LOAD.noFolderClips : 0);
}

export class Sinew {
    #binding;
    #count = 0;
    #formats = null;

    constructor(binding) { this.#binding = binding; }

    get version() { return this.#binding.module.UTF8ToString(this.#binding.call('version')); }

    // { models, archives, images, warnings }: what this build supports.
    get formats() { return this.#formats ??= this.#binding.json('formats'); }

    // Files are in a folder of the module's own file system while `use` runs.
    #withFiles(bytes, options, use) {
        const binding = this.#binding, folder = `/files${this.#count++}`, name = cleanPath(options.name ?? 'model');
        try {
            binding.makeFolders(folder);
            for (const [path, data] of entriesOf(options.files)) binding.writeFile(`${folder}/${cleanPath(path)}`, asBytes(data));
            binding.writeFile(`${folder}/${name}`, asBytes(bytes));
            return use(`${folder}/${name}`, folder, name);
        } finally {
            binding.removeFolder(folder);
        }
    }

    // Options: name (its extension decides between formats), files (name to bytes: textures, skeletons, animations), team, tangents,
    // continuous, lint, keepDocument, folderClips. Throws SinewError.
    load(bytes, options = {}) {
        return this.#withFiles(bytes, options, (path, root, name) =>
            new Model(this.#binding, this.#binding.load({ path, root, flags: loadFlags(options), team: options.team ?? 0 }), name));
    }

    // Bytes of one format to those of another, as `sinew convert` does: { files: [{ name, data }], losses }.
    convert(bytes, extension, options = {}) {
        const model = this.load(bytes, { ...options, keepDocument: true, continuous: true });
        try {
            return model.convert(extension, options);
        } finally {
            model.free();
        }
    }

    // An archive: { info, read(name), load(name, options), close() }. `files`: the other file of an archive in two files.
    openArchive(bytes, options = {}) {
        const binding = this.#binding, folder = `/archive${this.#count++}`, name = cleanPath(options.name ?? 'archive');
        for (const [path, data] of entriesOf(options.files)) binding.writeFile(`${folder}/${cleanPath(path)}`, asBytes(data));
        binding.writeFile(`${folder}/${name}`, asBytes(bytes));
        let archive = 0;
        try {
            archive = binding.need('archive_open', `${folder}/${name}`);
        } finally {
            if (!archive) binding.removeFolder(folder);
        }
        return {
            info: binding.json('archive_list', archive),
            read: (file) => binding.archiveRead(archive, file),
            load: (file, load = {}) =>
                new Model(binding, binding.load({ archive, path: file, flags: loadFlags(load), team: load.team ?? 0 }), file),
            close: () => {
                binding.call('archive_close', archive);
                binding.removeFolder(folder);
            },
        };
    }
}

export class Model {
    #binding;
    #model;
    #name;
    #info = null;

    constructor(binding, model, name) {
        this.#binding = binding;
        this.#model = model;
        this.#name = name;
    }

    #alive() {
        if (!this.#model) throw new Error('the model was freed');
        return this.#model;
    }

    #index(index, count, what) {
        if (!Number.isInteger(index) || index < 0 || index >= count) throw new RangeError(`no ${what} ${index}; the model has ${count}`);
        return index;
    }

    // The document sinew.info/2 of docs/json.md, with `nodes`, `parts`, `surfaces` and `default_clip`.
    get info() { return this.#info ??= this.#binding.info(this.#alive(), this.#name, true); }

    findClip(name) { return this.info.clips.findIndex((clip) => clip.name === name); }
    findNode(name) { return this.info.nodes.findIndex((node) => node.name === name); }

    // Poses the model: clip -1 is the rest pose. `clock` drives tracks with a period of their own; `lod` is the level of detail.
    // Returns the world matrices of all nodes, 12 numbers each: three rows of four.
    pose(clip = -1, seconds = 0, { clock = seconds, lod = 0 } = {}) {
        if (clip !== -1) this.#index(clip, this.info.clip_count, 'clip');
        if (![seconds, clock].every(Number.isFinite)) throw new RangeError('times must be finite numbers');
        this.#binding.need('pose', this.#alive(), clip, seconds, clock, lod);
        return this.#binding.floats(this.#binding.need('pose_world', this.#model), this.info.node_count * 12);
    }

    #posed() {
        if (!this.#binding.call('is_posed', this.#alive())) this.pose();
        return this.#model;
    }

    // The skin matrices of the pose (world times inverse bind), 12 numbers for each joint.
    palette(skin) {
        this.#index(skin, this.info.skin_count, 'skin');
        return this.#binding.floats(this.#binding.call('pose_palette', this.#posed(), skin), this.info.skins[skin].joint_count * 12);
    }

    // Whether the pose shows a part.
    isVisible(part) {
        return Boolean(this.#binding.call('pose_shows', this.#posed(), this.#index(part, this.info.part_count, 'part')));
    }

    // Vertices of a part as posed, in the model's axes: { positions, normals }; normals are null where the mesh has none.
    skin(part) {
        const mesh = this.info.meshes[this.info.parts[this.#index(part, this.info.part_count, 'part')].mesh], count = mesh.vertex_count * 3;
        const at = this.#binding.need('skin', this.#posed(), part);
        return {
            positions: this.#binding.floats(at, count),
            normals: mesh.has_normals ? this.#binding.floats(at + count * 4, count) : null,
        };
    }

    // { positions, normals, uvs, indices, joints, weights } at rest; null where the mesh has none.
    mesh(index) {
        const mesh = this.info.meshes[this.#index(index, this.info.mesh_count, 'mesh')], arrays = {};
        for (const array of ['positions', 'normals', 'uvs', 'indices', 'joints', 'weights'])
            arrays[array] = this.#binding.meshArray(this.#alive(), index, mesh, array);
        return arrays;
    }

    // Nodes that the joints of a mesh with this skin refer to.
    joints(skin) {
        const count = this.info.skins[this.#index(skin, this.info.skin_count, 'skin')].joint_count;
        return new Int32Array(this.#binding.module.HEAPU8.buffer, this.#binding.call('skin_joints', this.#alive(), skin), count).slice();
    }

    // The pixels of an image: { width, height, rgba }. Throws SinewError where it cannot be decoded.
    image(index) {
        this.#index(index, this.info.image_count, 'image');
        return this.#binding.pixels(this.#binding.call('image', this.#alive(), index));
    }

    // To 'glb', 'gltf', 'mdx', 'mdl', 'w3d', 'mds', 'chr'...: { files: [{ name, data }], losses }. The first file is the model.
    convert(extension, { game = 'auto' } = {}) {
        const stem = this.#name.slice(this.#name.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '') || 'model';
        const name = `${stem}.${extension}`, result = this.#binding.convert(this.#alive(), name, game);
        result.files.sort((a, b) => (b.name === name) - (a.name === name));
        return result;
    }

    free() {
        if (this.#model) this.#binding.call('model_free', this.#model);
        this.#model = 0;
    }
}
