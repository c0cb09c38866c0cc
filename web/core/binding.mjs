// Calls the exported functions of web/sinew_web.c: texts in, JSON and typed arrays out. The npm package and the worker of the page use it.

export class SinewError extends Error {
    constructor({ status = 'invalid', message = 'failed', path = '', offset = 0, line = 0, column = 0 } = {}) {
        super(message);
        this.name = 'SinewError';
        Object.assign(this, { status, path, offset, line, column });
    }
}

export const LOAD = { keepDocument: 1, continuous: 2, tangents: 4, noLayout: 8, noFolderClips: 16, lint: 32 };
export const GAMES = ['auto', 'war3', 'reforged', 'generals', 'bfme', 'dark-cloud', 'dark-cloud-2'];
const ARRAYS = { positions: 0, normals: 1, uvs: 2, indices: 3, joints: 4, weights: 5 };

export class Binding {
    constructor(module) {
        this.module = module;
        this.FS = module.FS;
    }

    // Calls web_NAME. Texts become UTF-8 in the module's memory for the time of the call.
    call(name, ...values) {
        const { module } = this, texts = [];
        const numbers = values.map((value) => {
            if (typeof value !== 'string') return value;
            const size = module.lengthBytesUTF8(value) + 1, at = module._web_alloc(size);
            if (!at) throw this.lastError();
            module.stringToUTF8(value, at, size);
            texts.push([at, size]);
            return at;
        });
        try {
            return module[`_web_${name}`](...numbers);
        } finally {
            for (const [at, size] of texts) module._web_free(at, size);
        }
    }

    // The same for functions that return JSON; null is a failure.
    json(name, ...values) {
        const at = this.call(name, ...values), text = at ? this.module.UTF8ToString(at) : 'null';
        if (text === 'null') throw this.lastError();
        return JSON.parse(text);
    }

    // The same for functions that return 0 or false where they fail.
    need(name, ...values) {
        const result = this.call(name, ...values);
        if (!result) throw this.lastError();
        return result;
    }

    lastError() {
        const text = this.module.UTF8ToString(this.module._web_error());
        return new SinewError(JSON.parse(text)?.error ?? {});
    }

    bytes(at, size) { return this.module.HEAPU8.slice(at, at + size); }
    floats(at, count) { return new Float32Array(this.module.HEAPU8.buffer, at, count).slice(); }

    // { width, height, rgba } of functions that return pixels.
    pixels(at) {
        if (!at) throw this.lastError();
        const [width, height] = new Uint32Array(this.module.HEAPU8.buffer, at, 2);
        return { width, height, rgba: new Uint8ClampedArray(this.module.HEAPU8.buffer, at + 8, width * height * 4).slice() };
    }

    load({ archive = 0, path, root = '', flags = 0, team = 0 }) { return this.need('load', archive, path, root, flags, team); }
    info(model, file, hasOutline) { return this.json('info', model, file, hasOutline ? 1 : 0); }

    // { files: [{ name, data }], losses }
    convert(model, name, game = 'auto') {
        const number = GAMES.indexOf(game);
        if (number < 0) throw new SinewError({ message: `no game "${game}"; choose one of ${GAMES.join(', ')}` });
        const result = this.json('convert', model, name, number);
        const files = result.files.map((file) => ({ name: file.name, data: this.bytes(file.address, file.bytes) }));
        this.call('convert_end');
        return { files, losses: result.losses };
    }

    // A copy of an array of a mesh; null: the mesh has none. `mesh` is that of the information.
    meshArray(model, index, mesh, array) {
        const at = this.call('mesh_array', model, index, ARRAYS[array]);
        if (!at) return null;
        const { buffer } = this.module.HEAPU8, vertices = mesh.vertex_count;
        switch (array) {
            case 'indices': return new Uint32Array(buffer, at, mesh.index_count).slice();
            case 'joints': return new Uint16Array(buffer, at, vertices * mesh.influence_count).slice();
            case 'weights': return this.floats(at, vertices * mesh.influence_count);
            case 'uvs': return this.floats(at, vertices * 2);
            default: return this.floats(at, vertices * 3);
        }
    }

    archiveRead(archive, name) {
        const size = this.call('archive_read', archive, name);
        if (size < 0) throw this.lastError();
        return this.bytes(this.call('result'), size);
    }

    // A file of the module's file system, which is removed.
    takeFile(path) {
        const data = this.FS.readFile(path);
        this.FS.unlink(path);
        return data;
    }

    makeFolders(folder) {
        let path = '';
        for (const part of folder.split('/').filter(Boolean)) {
            path += `/${part}`;
            if (!this.FS.analyzePath(path).exists) this.FS.mkdir(path);
        }
    }

    writeFile(path, data) {
        this.makeFolders(path.slice(0, path.lastIndexOf('/')));
        this.FS.writeFile(path, data);
    }

    removeFolder(folder) {
        for (const name of this.FS.readdir(folder)) {
            if (name === '.' || name === '..') continue;
            const path = `${folder}/${name}`;
            if (this.FS.isDir(this.FS.stat(path).mode)) this.removeFolder(path);
            else this.FS.unlink(path);
        }
        this.FS.rmdir(folder);
    }
}

// A relative path with '/', without parts that lead out of its folder.
export function cleanPath(name) {
    const parts = name.replace(/\\/g, '/').split('/').filter((part) => part && part !== '.' && part !== '..');
    return parts.join('/') || 'unnamed';
}
