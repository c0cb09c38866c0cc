// The worker of the page: the only place where files are parsed. It has the module, a file system with the dropped files and a WebGL 2
// canvas of its own. One request at a time: { id, op, ... } gets { id, result } or { id, error }.
const THUMB_SECONDS = 15, SHOW_SECONDS = 60, MANY_FILES = 500;
const VIEW = { yaw: 0.6, pitch: 0.3 };
let binding = null, canvas = null, shown = null, formats = null;
const drops = [];            // { root, archives: Map from path to { archive, info }, fileCount }

async function init({ wasm }) {
    const module = await createSinew({ wasmBinary: wasm, print() {}, printErr() {} });
    binding = new Binding(module);
    adaptFiles(module.WORKERFS);
    formats = binding.json('formats');
    return { formats, version: module.UTF8ToString(binding.call('version')) };
}

// Archives and searches read many small pieces, and each read of a file of the browser takes as long as one of a hundred kilobytes: small
// reads are served from blocks, of which the last 256 are kept.
const BLOCK_BYTES = 1 << 18, BLOCK_COUNT = 256;

function adaptFiles(files) {
    const blocks = new Map(), direct = files.stream_ops.read;
    const blockOf = (node, index) => {
        const key = `${node.id}:${index}`;
        const block = blocks.get(key) ?? new Uint8Array(files.reader.readAsArrayBuffer(node.contents.slice(index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES)));
        blocks.delete(key);
        blocks.set(key, block);
        if (blocks.size > BLOCK_COUNT) blocks.delete(blocks.keys().next().value);
        return block;
    };
    files.stream_ops.read = (stream, buffer, offset, length, position) => {
        const { node } = stream, end = Math.min(position + length, node.size);
        if (length >= BLOCK_BYTES) return direct(stream, buffer, offset, length, position);
        for (let at = position; at < end;) {
            const index = Math.floor(at / BLOCK_BYTES), start = at - index * BLOCK_BYTES, part = blockOf(node, index).subarray(start, start + end - at);
            if (part.length === 0) return at - position;
            buffer.set(part, offset + at - position);
            at += part.length;
        }
        return Math.max(0, end - position);
    };
    delete files.node_ops.readlink;        // emscripten's own says EPERM where realpath expects "not a link"
}

// The canvas is made when the first picture is needed: without WebGL 2 the rest works.
function needRenderer() {
    if (canvas) return;
    const made = typeof OffscreenCanvas === 'undefined' ? null : new OffscreenCanvas(16, 16);
    const context = made?.getContext('webgl2', { antialias: false, depth: false, alpha: true, premultipliedAlpha: true, preserveDrawingBuffer: false });
    if (!context) throw new SinewError({ status: 'unsupported', message: 'this browser has no WebGL 2 in workers' });
    const { GL } = binding.module;
    GL.makeContextCurrent(GL.registerContext(context, { majorVersion: 2, minorVersion: 0, enableExtensionsByDefault: true }));
    context.getExtension('EXT_color_buffer_float');
    made.addEventListener('webglcontextlost', () => postMessage({ lost: true }));
    binding.need('renderer_open');
    canvas = made;
}

const extensionOf = (name) => /\.([^./]+)$/.exec(name)?.[1].toLowerCase() ?? '';

function kindOf(path) {
    const extension = extensionOf(path), has = (list) => list.some((format) => format.extensions.split(' ').includes(extension));
    if (binding.call('is_model_name', path)) return 'model';
    if (has(formats.archives)) return 'archive';
    return has(formats.images) ? 'image' : 'other';
}

// Makes the files of a drop readable and lists the models among them. Nothing is copied: a file is read when it is needed. A single
// file is a model or an archive whatever its name says, unless it can be a texture of models that are there (`isAlone` is false).
function mount({ number, files, isAlone }) {
    const root = `/drop${number}`, drop = drops[number] = { root, archives: new Map(), fileCount: files.length };
    binding.FS.mkdir(root);
    binding.FS.mount(binding.module.WORKERFS, { blobs: files.map(({ path, file }) => ({ name: path, data: file })) }, root);
    const items = [], partners = new Set();
    for (const { path } of files) {
        const kind = kindOf(path), isOnly = files.length === 1 && (isAlone || kind === 'other');
        if (kind === 'model') items.push({ drop: number, path, archive: null });
        else if (kind === 'archive' && !partners.has(`${root}/${path}`)) listArchive(drop, number, path, items, partners);
        else if (isOnly && !(kind === 'other' && listArchive(drop, number, path, items, partners, true))) items.push({ drop: number, path, archive: null });
    }
    addPlaces();
    return { items };
}

// False: `isGuess`, and it is no archive.
function listArchive(drop, number, path, items, partners, isGuess = false) {
    try {
        const archive = binding.need('archive_open', `${drop.root}/${path}`), info = binding.json('archive_list', archive);
        if (info.partner) partners.add(info.partner);
        drop.archives.set(path, { archive, info });
        drop.fileCount += info.files.length;
        for (const file of info.files) if (file.is_model) items.push({ drop: number, path: file.name, archive: path });
        if (!info.files.some((file) => file.is_model))
            items.push({ drop: number, path, archive: null, error: `${info.title} with ${info.files.length} files, no model among them` });
    } catch (error) {
        if (!(error instanceof SinewError)) throw error;
        if (isGuess && error.status === 'format') return false;
        items.push({ drop: number, path, archive: null, error: describe(error) });
    }
    return true;
}

// Textures may be in everything that was dropped.
function addPlaces() {
    binding.call('search_clear');
    for (const { root, archives } of drops.filter(Boolean)) {
        binding.need('search_add', root, 0);
        for (const { archive } of archives.values()) binding.need('search_add', '', archive);
    }
}

function describe(error) {
    const place = error.line ? ` at line ${error.line}:${error.column}` : error.offset ? ` at byte ${error.offset}` : '';
    return `${error.message}${place}${error.path ? ` in ${error.path}` : ''}`;
}

function load({ drop, path, archive, team = 0 }, flags) {
    const { root, archives } = drops[drop];
    if (archive !== null) return binding.load({ archive: archives.get(archive).archive, path, flags, team });
    return binding.load({ path: `${root}/${path}`, root, flags, team });
}

// Images that only the browser decodes.
async function decodeImages(model, info) {
    const table = binding.module.decodedImages ??= new Map();
    for (let i = 0; i < info.images.length; i++) {
        const image = info.images[i];
        if (image.mime_type !== 'image/webp' || !image.bytes) continue;
        const data = binding.bytes(binding.call('image_data', model, i), image.bytes), key = imageKey(data);
        if (table.has(key)) continue;
        try {
            const bitmap = await createImageBitmap(new Blob([data], { type: 'image/webp' }), { premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
            if (bitmap.width * bitmap.height <= 64 << 20) table.set(key, readBitmap(bitmap));
            bitmap.close();
        } catch {
            // The library reports it as an image that it cannot decode.
        }
    }
}

// FNV-1a, as webp.c computes it.
function imageKey(data) {
    let hash = 0x811c9dc5;
    for (const byte of data) hash = Math.imul(hash ^ byte, 0x01000193);
    return `${data.length}:${hash >>> 0}`;
}

// Through a texture: a 2D canvas would multiply colours with alpha and lose those of transparent pixels.
function readBitmap(bitmap) {
    const { width, height } = bitmap, gl = new OffscreenCanvas(1, 1).getContext('webgl2');
    const texture = gl.createTexture(), framebuffer = gl.createFramebuffer(), rgba = new Uint8Array(width * height * 4);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return { width, height, rgba };
}

// A later drop may have what the model lacks.
const lacksFiles = (info) => info.images.some((image) => !image.is_found) || info.warnings.some(({ name }) => name === 'FILE_MISSING' || name === 'W3D_SKELETON');

async function thumb({ item, side }) {
    binding.call('set_deadline', THUMB_SECONDS * 1000);
    // Animations of a W3D model may be in any file. Among many files they are searched for when the model is shown, not for each thumbnail.
    const model = load(item, LOAD.tangents | (drops[item.drop].fileCount > MANY_FILES ? LOAD.noFolderClips : 0));
    try {
        const info = binding.info(model, item.path, false);
        await decodeImages(model, info);
        needRenderer();
        binding.need('scene_open', model, item.path);
        const { width, height, rgba } = binding.pixels(binding.call('thumbnail', model, side));
        // Thousands of them as PNG files take little memory; as pixels they would not.
        const picture = new OffscreenCanvas(width, height);
        picture.getContext('2d').putImageData(new ImageData(rgba, width, height), 0, 0);
        return {
            picture: await picture.convertToBlob(),
            summary: {
                format: info.format, triangles: info.triangle_count, clips: info.clip_count, hash: info.hash, empty: info.empty,
                warnings: info.warnings.filter((warning) => warning.level === 'warning').length,
                lacksFiles: lacksFiles(info),
            },
        };
    } finally {
        binding.call('model_free', model);
    }
}

// A request may come after the model that it is about is gone.
function needShown() {
    if (!shown) throw new SinewError({ message: 'no model is shown' });
    return shown.model;
}

function drop() {
    if (shown) binding.call('model_free', shown.model);
    shown = null;
}

async function show({ item }) {
    drop();
    binding.call('set_deadline', SHOW_SECONDS * 1000);
    const model = load(item, LOAD.tangents | LOAD.lint);
    try {
        const info = binding.info(model, item.path, true);
        await decodeImages(model, info);
        needRenderer();
        binding.need('scene_open', model, item.path);
        info.clips.forEach((clip, i) => { clip.rate = binding.call('clip_rate', model, i); });
        shown = { model, item, info, framed: null };
        return { info, lacksFiles: lacksFiles(info), camera: binding.call('scene_camera', model) };
    } catch (error) {
        binding.call('model_free', model);
        throw error;
    }
}

// Sets what the view says; fits the camera where it asks for that.
function setView(view, width, height) {
    const model = needShown(), [red, green, blue, alpha] = view.background;
    binding.call('scene_set', model, view.clip, view.lod, view.show, view.selected, view.camera);
    binding.call('scene_background', model, red, green, blue, alpha);
    if (view.fit) binding.need('scene_frame', model, view.yaw ?? VIEW.yaw, view.pitch ?? VIEW.pitch, width / height, view.top ?? 0, view.fitTime ?? -1);
    if (view.orbit) new Float32Array(binding.module.HEAPU8.buffer, binding.call('orbit', model), 7).set(view.orbit);
    for (const [kind, x, y] of view.moves ?? []) {
        if (kind === 'zoom') binding.call('orbit_zoom', model, x);
        else binding.call(`orbit_${kind}`, model, x, y);
    }
    return [...binding.floats(binding.call('orbit', model), 7)];
}

// A picture for the screen.
function frame({ view, width, height }) {
    binding.call('set_deadline', SHOW_SECONDS * 1000);
    const orbit = setView(view, width, height);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    binding.need('draw', shown.model, view.seconds, view.clock, width, height);
    binding.call('present');
    return { bitmap: canvas.transferToImageBitmap(), orbit };
}

// A picture for a file: PNG with alpha, or an animation of the clip.
function picture({ view, width, height, kind, rate }) {
    binding.call('set_deadline', 4 * SHOW_SECONDS * 1000);
    setView({ ...view, fit: false, moves: [] }, width, height);
    const path = `/picture.${kind}`;
    if (kind === 'png') {
        binding.need('draw', shown.model, view.seconds, view.clock, width, height);
        binding.need('save_png', path);
    } else {
        binding.need('save_animation', shown.model, path, kind === 'gif' ? 1 : 0, rate, width, height);
    }
    return { data: binding.takeFile(path) };
}

// As `sinew convert` does: the file is loaded again, with what only saving needs.
async function convert({ item, extension, game }) {
    binding.call('set_deadline', 4 * SHOW_SECONDS * 1000);
    const model = load(item, LOAD.keepDocument | LOAD.continuous), stem = item.path.slice(item.path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
    try {
        await decodeImages(model, binding.info(model, item.path, false));
        return binding.convert(model, `${stem}.${extension}`, game);
    } finally {
        binding.call('model_free', model);
    }
}

// Drivers compile a shader when it is first drawn with, which takes longer than the rest of a small model. Before anything is dropped, a
// triangle is drawn with the most common ones: textured and skinned, with and without gloss.
function warm() {
    needRenderer();
    for (const roughness of [0.5, 1]) {
        binding.FS.writeFile('/warm.gltf', JSON.stringify(triangle(roughness)));
        const model = binding.load({ path: '/warm.gltf', flags: LOAD.noLayout | LOAD.noFolderClips });
        binding.need('scene_open', model, 'warm.gltf');
        binding.call('scene_background', model, 0, 0, 0, 1);
        binding.need('scene_frame', model, 0, 0, 1, 0, -1);
        binding.need('draw', model, 0, 0, canvas.width, canvas.height);
        binding.call('present');
        canvas.transferToImageBitmap().close();
        binding.call('read');        // waits until it is drawn
        binding.call('model_free', model);
    }
    binding.FS.unlink('/warm.gltf');
}

// Three vertices with positions, normals, texture coordinates, joints and weights, and a texture of one pixel.
function triangle(roughness) {
    const floats = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
    const bytes = new Uint8Array([...new Uint8Array(new Float32Array(floats).buffer), ...new Uint8Array(12)]);
    const buffer = `data:application/octet-stream;base64,${btoa(String.fromCharCode(...bytes))}`;
    const pixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
    const view = (byteOffset, byteLength) => ({ buffer: 0, byteOffset, byteLength });
    const accessor = (bufferView, type, componentType = 5126) => ({ bufferView, type, componentType, count: 3 });
    return {
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1] }], nodes: [{ mesh: 0, skin: 0 }, {}], skins: [{ joints: [1] }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0, NORMAL: 1, TEXCOORD_0: 2, WEIGHTS_0: 3, JOINTS_0: 4 }, material: 0 }] }],
        materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0, roughnessFactor: roughness } }],
        textures: [{ source: 0 }], images: [{ uri: pixel }], buffers: [{ uri: buffer, byteLength: bytes.length }],
        bufferViews: [view(0, 36), view(36, 36), view(72, 24), view(96, 48), view(144, 12)],
        accessors: [{ ...accessor(0, 'VEC3'), min: [0, 0, 0], max: [1, 1, 0] }, accessor(1, 'VEC3'), accessor(2, 'VEC2'), accessor(3, 'VEC4'), accessor(4, 'VEC4', 5121)],
    };
}

function pick({ x, y, width, height }) { return { node: binding.call('pick', needShown(), x, y, width, height) }; }
function texture({ index }) { return binding.pixels(binding.call('image', needShown(), index)); }
// For tests of what happens when a worker dies.
function crash() { throw new WebAssembly.RuntimeError('crash'); }

const operations = { init, mount, thumb, show, frame, picture, convert, pick, texture, drop, warm, crash };
// Requests are served in order, also where one waits for the browser to decode an image.
let queue = Promise.resolve();

addEventListener('message', ({ data }) => {
    queue = queue.then(() => serve(data));
});

async function serve({ id, op, ...values }) {
    try {
        const result = await operations[op](values) ?? {};
        const owned = [result.bitmap, result.pixels?.rgba.buffer, result.rgba?.buffer, result.data?.buffer,
            ...(result.files?.map((file) => file.data.buffer) ?? [])].filter(Boolean);
        postMessage({ id, result }, owned);
    } catch (error) {
        // Anything but an error of the library leaves the module in an unknown state: the page starts another worker.
        const isFatal = !(error instanceof SinewError);
        postMessage({ id, error: { message: isFatal ? String(error?.message ?? error) : describe(error), status: error.status ?? 'fatal', isFatal } });
    }
}
