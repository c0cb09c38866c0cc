// Westwood 3D files, read strictly and posed by the format's own mathematics: chunks are known, in their place and used up to the last
// byte. checkW3d lists what the games do not accept.
import { boxOf, Cursor, IDENTITY, mix, multiply, must, normalize, rotation, slerp, transform, translation } from './reading.mjs';

const NONE = 0xffffffff, LARGEST = 3.4028234663852886e38;
const CONTAINERS = new Set([0x0, 0x23, 0x24, 0x25, 0x26, 0x2a, 0x2b, 0x30, 0x31, 0x38, 0x48, 0x50, 0x51, 0x90, 0x100, 0x200, 0x280, 0x300, 0x420, 0x460, 0x500, 0x600, 0x700, 0x702, 0x705, 0x706, 0x900, 0xa00]);
const hex = (id) => `0x${id.toString(16).padStart(4, '0')}`;

// Sub-chunks in order. Flags of containers are checked by their ids.
function* chunksOf(cursor, notes) {
    while (cursor.left > 0) {
        const id = cursor.u32(), word = cursor.u32(), isContainer = word >= 0x80000000;
        if (isContainer !== CONTAINERS.has(id)) notes.push(`the bit for sub-chunks of ${hex(id)} is ${isContainer}`);
        yield [id, cursor.window(word % 0x80000000)];
    }
}

// Calls the reader of each chunk's id, and requires that it used all bytes. Returns the first id.
function readChunks(cursor, where, readers, notes) {
    let first = null;
    for (const [id, c] of chunksOf(cursor, notes)) {
        first ??= id;
        if (!readers[id]) {
            notes.push(`chunk ${hex(id)} in ${where} is not known here`);
            continue;
        }
        readers[id](c);
        c.end(`${hex(id)} in ${where}`);
    }
    return first;
}

const stringOf = (c) => c.text(c.left);
const name16 = (c) => c.text(16), name32 = (c) => c.text(32), vectors = (c) => { must(c.left % 12 === 0, 'vectors'); return c.many(c.left / 12, () => c.f32s(3)); };
const words = (c) => { must(c.left % 4 === 0, 'words'); return c.u32s(c.left / 4); };
const skip = (c) => { c.raw(c.left); };
const color = (c) => [c.u8(), c.u8(), c.u8(), c.u8()];

// One value for the whole mesh or one each.
function oneOrMany(c, count, what) {
    const ids = words(c);
    must(ids.length === 1 || ids.length === count, `${ids.length} ${what} of ${count}`);
    return ids;
}

function readVertexMaterial(c, notes) {
    const material = { args: [] };
    const first = readChunks(c, 'VERTEX_MATERIAL', {
        0x2c: (x) => { material.name = stringOf(x); },
        0x2d: (x) => Object.assign(material, { attributes: x.u32(), colors: x.many(4, () => color(x)), shininess: x.f32(), opacity: x.f32(), translucency: x.f32() }),
        0x2e: (x) => { material.args[0] = stringOf(x); }, 0x2f: (x) => { material.args[1] = stringOf(x); },
    }, notes);
    if (first !== 0x2c || material.attributes === undefined) notes.push('a vertex material without name or values');
    return material;
}

function readTexture(c, notes) {
    const texture = {};
    readChunks(c, 'TEXTURE', { 0x32: (x) => { texture.name = stringOf(x); }, 0x33: (x) => Object.assign(texture, { attributes: x.u16(), animation: x.u16(), frames: x.u32(), rate: x.f32() }) }, notes);
    must(texture.name, 'a texture without a name');
    return texture;
}

function readShaderMaterial(c, notes) {
    const material = { properties: new Map() };
    const first = readChunks(c, 'SHADER_MATERIAL', {
        0x52: (x) => Object.assign(material, { version: x.u8(), effect: name32(x), technique: x.u32() }),
        0x53: (x) => {
            const type = x.u32(), name = x.text(x.u32());
            must(type >= 1 && type <= 7, `property ${name} of type ${type}`);
            must(!material.properties.has(name), `property ${name} twice`);
            material.properties.set(name, type === 1 ? x.text(x.u32()) : type <= 5 ? x.f32s(type - 1) : type === 6 ? x.i32() : x.u8());
        },
    }, notes);
    must(first === 0x52, 'a shader material without its header');
    return material;
}

function readPass(c, mesh, notes) {
    const pass = { stages: [] };
    const coordinates = (x) => { must(x.left === 8 * mesh.vertexCount, `coordinates of ${x.left / 8} vertices`); return x.many(mesh.vertexCount, () => x.f32s(2)); };
    const colors = (x) => x.many(mesh.vertexCount, () => color(x));
    readChunks(c, 'MATERIAL_PASS', {
        0x39: (x) => { pass.materials = oneOrMany(x, mesh.vertexCount, 'vertex material ids'); },
        0x3a: (x) => { pass.shaders = oneOrMany(x, mesh.triangleCount, 'shader ids'); },
        0x3b: (x) => { pass.colors = colors(x); }, 0x3c: (x) => { pass.illumination = colors(x); }, 0x3e: (x) => { colors(x); },
        0x3f: (x) => { pass.shaderMaterials = oneOrMany(x, mesh.triangleCount, 'shader material ids'); },
        0x4a: (x) => { pass.uvs = coordinates(x); },
        0x48: (x) => {
            const stage = {};
            readChunks(x, 'TEXTURE_STAGE', { 0x49: (y) => { stage.textures = oneOrMany(y, mesh.triangleCount, 'texture ids'); }, 0x4a: (y) => { stage.uvs = coordinates(y); },
                0x4b: (y) => { must(y.left === 12 * mesh.triangleCount, 'indices of coordinates'); skip(y); } }, notes);
            pass.stages.push(stage);
        },
    }, notes);
    return pass;
}

function readMesh(c, notes) {
    const mesh = { materials: [], shaders: [], textures: [], effects: [], passes: [], info: null };
    const perVertex = (key) => (x) => { mesh[key] = vectors(x); must(mesh[key].length === mesh.vertexCount, `${key} of ${mesh.vertexCount} vertices: ${mesh[key].length}`); };
    const look = {
        0x28: (x) => { mesh.info = { passes: x.u32(), materials: x.u32(), shaders: x.u32(), textures: x.u32() }; },
        0x29: (x) => { must(x.left % 16 === 0, 'shaders'); mesh.shaders = x.many(x.left / 16, () => [...x.raw(16)]); },
        0x2a: (x) => { readChunks(x, 'VERTEX_MATERIALS', { 0x2b: (y) => mesh.materials.push(readVertexMaterial(y, notes)) }, notes); },
        0x30: (x) => { readChunks(x, 'TEXTURES', { 0x31: (y) => mesh.textures.push(readTexture(y, notes)) }, notes); },
        0x38: (x) => { mesh.passes.push(readPass(x, mesh, notes)); },
        0x50: (x) => { readChunks(x, 'SHADER_MATERIALS', { 0x51: (y) => mesh.effects.push(readShaderMaterial(y, notes)) }, notes); },
    };
    const prelit = (x) => { mesh.isPrelit = true; readChunks(x, 'a prelit wrapper', look, notes); };
    const first = readChunks(c, 'MESH', {
        0x1f: (x) => {
            Object.assign(mesh, { version: x.u32(), attributes: x.u32(), name: x.text(16, false), container: x.text(16, false), triangleCount: x.u32(), vertexCount: x.u32(), materialCount: x.u32(), damage: x.u32(), sort: x.i32(),
                prelit: x.u32(), reserved: x.u32(), vertexChannels: x.u32(), faceChannels: x.u32(), low: x.f32s(3), high: x.f32s(3), centre: x.f32s(3), radius: x.f32() });
        },
        0x2: perVertex('positions'), 0x3: perVertex('normals'), 0xc00: perVertex('positions2'), 0xc01: perVertex('normals2'), 0x60: perVertex('tangents'), 0x61: perVertex('bitangents'),
        0xc: (x) => { mesh.text ??= stringOf(x); },
        0xe: (x) => { must(x.left === 8 * mesh.vertexCount, 'influences'); mesh.influences = x.many(mesh.vertexCount, () => [x.u16(), x.u16(), x.u16(), x.u16()]); },
        0x20: (x) => { must(x.left === 32 * mesh.triangleCount, 'triangles'); mesh.triangles = x.many(mesh.triangleCount, () => ({ corners: x.u32s(3), surface: x.u32(), normal: x.f32s(3), distance: x.f32() })); },
        0x22: (x) => { mesh.shades = words(x); must(mesh.shades.length === mesh.vertexCount, 'shade indices'); },
        0x23: prelit, 0x24: prelit, 0x25: prelit, 0x26: prelit, ...look,
        0x58: skip, 0x90: skip,
    }, notes);
    if (first !== 0x1f) notes.push('the header of a mesh is not its first chunk');
    must(mesh.positions && mesh.triangles, `mesh ${mesh.name} without vertices or triangles`);
    mesh.fullName = mesh.container ? `${mesh.container}.${mesh.name}` : mesh.name;
    mesh.isSkin = mesh.influences !== undefined;
    return mesh;
}

function readHierarchy(c, notes) {
    const hierarchy = {};
    const first = readChunks(c, 'HIERARCHY', {
        0x101: (x) => Object.assign(hierarchy, { version: x.u32(), name: x.text(16, false), count: x.u32(), centre: x.f32s(3) }),
        0x102: (x) => {
            must(x.left === 60 * hierarchy.count, `${x.left} bytes of ${hierarchy.count} pivots`);
            hierarchy.pivots = x.many(hierarchy.count, () => ({ name: x.text(16, false), parent: x.u32(), move: x.f32s(3), euler: x.f32s(3), turn: x.f32s(4) }));
        },
        0x103: (x) => {                         // no player reads them
            if (x.left !== 48 * hierarchy.count) notes.push(`${x.left} bytes of fixups of ${hierarchy.count} pivots`);
            hierarchy.fixups = x.raw(x.left);
        },
    }, notes);
    if (first !== 0x101) notes.push('the header of a hierarchy is not its first chunk');
    hierarchy.pivots.forEach(({ parent }, i) => must(i === 0 ? parent === NONE : parent < i, `pivot ${i} below ${parent}`));
    return hierarchy;
}

// Values of channels: a function from a frame to a value.
const TABLE = Array.from({ length: 256 }, (_, i) => Math.fround(i < 16 ? 10 ** (i - 8) : 1 - Math.sin(Math.PI / 2 * (i - 16) / 240)));
const blend = (a, b, u) => a.length === 4 ? normalize(slerp(a, b, u)) : mix(a, b, u);

function rawChannel(x, frames) {
    const [first, last, length, type, pivot] = x.many(5, () => x.u16());
    x.u16();
    must(last >= first && length === (type === 6 ? 4 : 1), `channel of type ${type}, length ${length}, frames ${first} to ${last}`);
    const values = x.many(last - first + 1, () => x.f32s(length));
    if (x.left > 0) must(x.left === 4 * length * (frames - values.length), `${x.left} bytes behind a channel`), skip(x);
    const none = type === 6 ? [0, 0, 0, 1] : [0], at = (f) => values[f - first] ?? none;
    return { type, pivot, value: (frame) => {
        const f = Math.floor(frame);
        return blend(at(f), at(f + 1 >= frames ? 0 : f + 1), frame - f);
    } };
}

function timecodedChannel(x) {
    const count = x.u32(), pivot = x.u16(), length = x.u8(), type = x.u8();
    must(length === (type === 6 ? 4 : 1) && count > 0, `${count} keys of ${length} of type ${type}`);
    const keys = x.many(count, () => { const code = x.u32(); return { time: code % 0x80000000, jumps: code >= 0x80000000, value: x.f32s(length) }; });
    must(keys.every((key, i) => i === 0 || key.time > keys[i - 1].time), 'times of a channel do not rise');
    return { type, pivot, keys, value: (frame) => {
        const i = Math.max(0, keys.findLastIndex((key) => key.time <= Math.floor(frame))), a = keys[i], b = keys[i + 1];
        return !b || b.jumps || frame < a.time ? a.value : blend(a.value, b.value, (frame - a.time) / (b.time - a.time));
    } };
}

// `width`: 9 bytes with 16 signed nibbles, or 17 with offset bytes.
function deltaValues(x, frames, length, width) {
    const scale = x.f32(), values = [x.f32s(length)], blocks = (frames + 15) >> 4;
    const packets = x.many(blocks * length, () => x.raw(width));
    for (let n = 1; n < frames; n++) {
        const block = (n - 1) >> 4, j = (n - 1) & 15;
        values.push(values[n - 1].map((value, v) => {
            const packet = packets[block * length + v], nibble = packet[1 + (j >> 1)] >> (j & 1 ? 4 : 0) & 15;
            const delta = width === 9 ? (nibble >= 8 ? nibble - 16 : nibble) : (packet[1 + j] - 128) / 16;
            return Math.fround(value + Math.fround(Math.fround(delta * TABLE[packet[0]]) * scale));
        }));
    }
    return (frame) => {
        const f = Math.floor(frame), at = (n) => values[Math.min(n, values.length - 1)];
        return blend(at(f), at(f + 1), frame - f);
    };
}

function adaptiveChannel(x) {
    const frames = x.u32(), pivot = x.u16(), length = x.u8(), type = x.u8();
    must(length === (type === 6 ? 4 : 1), `channel of type ${type}, length ${length}`);
    const value = deltaValues(x, frames, length, 9);
    must(x.left === 3, `${x.left} bytes of slack behind an adaptive channel`);
    skip(x);
    return { type, pivot, value };
}

function motionChannel(x) {
    must(x.u8() === 0, 'motion channel');
    const kind = x.u8(), length = x.u8(), type = x.u8(), count = x.u16(), pivot = x.u16();
    must(kind <= 2 && length === (type === 6 ? 4 : 1), `motion channel of kind ${kind}, type ${type}, length ${length}`);
    if (kind > 0) return { type, pivot, value: deltaValues(x, count, length, kind === 1 ? 9 : 17) };
    const times = x.many(count, () => x.u16());
    if (count & 1) x.u16();
    const keys = times.map((time) => ({ time, value: x.f32s(length) }));
    return { type, pivot, value: (frame) => {
        const i = Math.max(0, keys.findLastIndex((key) => key.time <= Math.floor(frame))), a = keys[i], b = keys[i + 1];
        return !b || frame < a.time ? a.value : blend(a.value, b.value, (frame - a.time) / (b.time - a.time));
    } };
}

function bitChannel(x) {
    const [first, last, type, pivot] = x.many(4, () => x.u16()), fallback = x.u8(), count = last - first + 1;
    must(last >= first, 'bit channel');
    const bits = x.raw((count + 7) >> 3);
    return { type, pivot, isVisible: (frame) => { const i = Math.floor(frame) - first; return i >= 0 && i < count ? (bits[i >> 3] >> (i & 7) & 1) === 1 : fallback !== 0; } };
}

function timecodedBits(x) {
    const count = x.u32(), pivot = x.u16(), type = x.u8();
    x.u8();
    const keys = x.u32s(count).map((code) => ({ time: code % 0x80000000, isOn: code >= 0x80000000 }));
    must(count > 0 && keys.every((key, i) => i === 0 || key.time > keys[i - 1].time), 'times of a bit channel do not rise');
    return { type, pivot, isVisible: (frame) => keys[Math.max(0, keys.findLastIndex((key) => key.time <= Math.floor(frame)))].isOn };
}

function readAnimation(c, isCompressed, notes) {
    const animation = { channels: [], bits: [], isCompressed };
    const header = (x) => {
        Object.assign(animation, { version: x.u32(), name: x.text(16, false), hierarchy: x.text(16, false), frames: x.u32() });
        Object.assign(animation, isCompressed ? { rate: x.u16(), flavor: x.u16() } : { rate: x.u32() });
    };
    const add = (list, read) => (x) => { animation[list].push(read(x)); };
    const first = readChunks(c, 'ANIMATION', isCompressed ? {
        0x281: header, 0x282: add('channels', (x) => animation.flavor === 1 ? adaptiveChannel(x) : timecodedChannel(x)),
        0x283: add('bits', timecodedBits), 0x284: add('channels', motionChannel),
    } : { 0x201: header, 0x202: add('channels', (x) => rawChannel(x, animation.frames)), 0x203: add('bits', bitChannel) }, notes);
    if (first !== (isCompressed ? 0x281 : 0x201)) notes.push('the header of an animation is not its first chunk');
    must(animation.frames > 0 && animation.rate > 0, `${animation.frames} frames at ${animation.rate}`);
    return animation;
}

function readArray(c, notes) {
    const array = { objects: [] };
    const first = readChunks(c, 'an array of objects', {
        0x703: (x) => Object.assign(array, { count: x.u32(), largest: x.f32() }),
        0x704: (x) => { array.objects.push({ bone: x.u32(), name: name32(x) }); },
    }, notes);
    must(first === 0x703 && array.count === array.objects.length, `${array.objects.length} objects, ${array.count} announced`);
    return array;
}

function readHlod(c, notes) {
    const hlod = { levels: [], aggregates: [], proxies: [], order: [] };
    readChunks(c, 'HLOD', {
        0x701: (x) => { hlod.order.push('header'); Object.assign(hlod, { version: x.u32(), count: x.u32(), name: x.text(16, false), hierarchy: x.text(16, false) }); },
        0x702: (x) => { hlod.order.push('level'); hlod.levels.push(readArray(x, notes)); },
        0x705: (x) => { hlod.order.push('other'); hlod.aggregates.push(...readArray(x, notes).objects); },
        0x706: (x) => { hlod.order.push('other'); hlod.proxies.push(...readArray(x, notes).objects); },
    }, notes);
    return hlod;
}

function readDazzle(c, notes) {
    let name = '';
    readChunks(c, 'DAZZLE', { 0x901: (x) => { name = stringOf(x); }, 0x902: skip }, notes);
    return name;
}

// `notes`: what a strict exporter would not write, but a file may have.
export function readW3d(bytes) {
    const notes = [], file = { meshes: [], hierarchies: [], animations: [], hlods: [], boxes: [], others: [], notes };
    readChunks(new Cursor(bytes), 'the file', {
        0x0: (c) => { file.meshes.push(readMesh(c, notes)); },
        0x100: (c) => { file.hierarchies.push(readHierarchy(c, notes)); },
        0x200: (c) => { file.animations.push(readAnimation(c, false, notes)); },
        0x280: (c) => { file.animations.push(readAnimation(c, true, notes)); },
        0x700: (c) => { file.hlods.push(readHlod(c, notes)); },
        0x740: (c) => { file.boxes.push({ version: c.u32(), attributes: c.u32(), name: name32(c), color: color(c), centre: c.f32s(3), extent: c.f32s(3) }); },
        0x750: (c) => { c.u32s(4); file.others.push(name32(c)); },
        0x900: (c) => { file.others.push(readDazzle(c, notes)); },
        0x300: skip, 0x420: skip, 0x440: skip, 0x460: skip, 0x500: skip, 0x600: skip, 0xa00: skip, 0x2c0: skip,
    }, notes);
    return file;
}

// Matrices of the pivots at a frame; in the base pose without an animation.
export function posePivots(pivots, animation, frame) {
    const moves = pivots.map(() => [0, 0, 0]), turns = pivots.map(() => [0, 0, 0, 1]), worlds = [];
    for (const channel of animation?.channels ?? []) {
        if (channel.pivot >= pivots.length) continue;
        if (channel.type <= 2) [moves[channel.pivot][channel.type]] = channel.value(frame);
        if (channel.type === 6) turns[channel.pivot] = channel.value(frame);
    }
    pivots.forEach((pivot, i) => worlds.push(i === 0 ? IDENTITY :
        multiply(worlds[pivot.parent], translation(pivot.move), rotation(pivot.turn), translation(moves[i]), rotation(turns[i]))));
    return worlds;
}

export const isPivotVisible = (animation, pivot, frame) => (animation?.bits ?? []).findLast((one) => one.type === 0 && one.pivot === pivot)?.isVisible(frame) ?? true;

export function poseMesh(mesh, worlds, bone) {
    if (!mesh.isSkin) return mesh.positions.map((p) => transform(worlds[bone] ?? IDENTITY, p));
    return mesh.positions.map((p, i) => {
        const [a, b, wa, wb] = mesh.influences[i], second = mesh.positions2 ? wb : 0, first = wa + second === 0 ? 100 : wa;
        if (!mesh.positions2 || second === 0) return transform(worlds[a], p);
        return mix(transform(worlds[b], mesh.positions2[i]), transform(worlds[a], p), first / (first + second));
    });
}

export const sameName = (a, b) => a.toLowerCase() === b.toLowerCase();
export const findMesh = (file, name) => file.meshes.find((mesh) => sameName(mesh.fullName, name)) ?? file.meshes.find((mesh) => sameName(mesh.name, name.slice(name.indexOf('.') + 1)));

function checkMesh(mesh, game, pivots, worlds, say) {
    const name = mesh.name, box = boxOf(mesh.isSkin ? poseMesh(mesh, worlds, 0) : mesh.positions), slack = 1e-4 * box.size + 1e-6;
    if (mesh.version !== 0x40002) say(`${name}: version ${mesh.version.toString(16)}`);
    if (box.low.some((v, k) => Math.abs(v - mesh.low[k]) > slack || Math.abs(box.high[k] - mesh.high[k]) > slack)) say(`${name}: its box is not that of the base pose`);
    const sphere = (mesh.isSkin ? poseMesh(mesh, worlds, 0) : mesh.positions).some((p) => Math.hypot(...p.map((v, k) => v - mesh.centre[k])) > mesh.radius + slack);
    if (sphere) say(`${name} leaves its sphere`);
    if (mesh.triangles.some(({ corners }) => corners.some((i) => i >= mesh.vertexCount))) say(`${name}: a corner beyond its vertices`);
    if (mesh.vertexCount > 65536) say(`${name} has ${mesh.vertexCount} vertices`);
    if (!mesh.normals || !mesh.shades || !mesh.info) say(`${name} lacks normals, shade indices or material info`);
    if (mesh.normals?.some((n) => Math.abs(Math.hypot(...n) - 1) > 1e-3)) say(`${name}: normals are not of length 1`);
    if (!mesh.isSkin)
        for (const { corners, normal, distance } of mesh.triangles)
            if (Math.hypot(...normal) > 0.5 && corners.some((i) => Math.abs(mesh.positions[i].reduce((sum, v, k) => sum + v * normal[k], 0) - distance) > 1e-3 * (box.size + Math.abs(distance)))) say(`${name}: a corner is not in the plane of its triangle`);
    const type = mesh.attributes >> 16 & 0xff;
    if ((type === 2) !== mesh.isSkin) say(`${name}: geometry type ${type}`);
    const { passes, materials, shaders, textures } = mesh.info ?? {};
    if (passes !== mesh.passes.length && mesh.effects.length === 0) say(`${name}: ${mesh.passes.length} passes, ${passes} announced`);
    if (materials !== mesh.materials.length || shaders !== mesh.shaders.length || textures !== mesh.textures.length) say(`${name}: material info counts something else`);
    if (mesh.passes.length > 4 || mesh.passes.some((pass) => pass.stages.length > 2)) say(`${name}: too many passes or stages`);
    for (const pass of mesh.passes) {
        if (pass.materials?.some((id) => id >= mesh.materials.length) || pass.shaders?.some((id) => id >= mesh.shaders.length)) say(`${name}: a material or shader that is not there`);
        if (pass.shaderMaterials?.some((id) => id >= mesh.effects.length)) say(`${name}: a shader material that is not there`);
        if (pass.stages.some((stage) => stage.textures?.some((id) => id !== NONE && id >= mesh.textures.length))) say(`${name}: a texture that is not there`);
        if (game === 'generals' && pass.shaderMaterials) say(`${name}: Generals has no shader materials`);
    }
    if (mesh.passes.length > 1 && mesh.shaders[mesh.passes[0].shaders?.[0]]?.[3] !== 0) say(`${name} is transparent in several passes`);
    for (const { name: texture } of mesh.textures) if (!/^[^\\/]+\.(tga|dds)$/i.test(texture)) say(`texture ${texture}`);
    if (game === 'generals' && (mesh.positions2 || mesh.normals2 || mesh.tangents || mesh.bitangents || mesh.effects.length)) say(`${name}: Generals has no second bones, tangents or shader materials`);
    if (game === 'bfme' && mesh.isSkin && (!mesh.positions2 || !mesh.normals2)) say(`${name}: a skin without second vertices or normals`);
    const hasCoordinates = mesh.passes.some((pass) => pass.uvs || pass.stages.some((stage) => stage.uvs));         // no tangent without them
    if (game === 'bfme' && hasCoordinates && (!mesh.tangents || !mesh.bitangents)) say(`${name}: no tangents`);
    mesh.influences?.forEach(([a, b, wa, wb], i) => {
        if (a >= pivots.length || b >= pivots.length) return say(`${name}: a vertex on pivot ${a} or ${b}`);
        if (game === 'generals' ? b || wa || wb : wa + wb !== 100) say(`${name}: influence ${[a, b, wa, wb]}`);
        if (mesh.positions2 && wb > 0 && Math.hypot(...transform(worlds[a], mesh.positions[i]).map((v, k) => v - transform(worlds[b], mesh.positions2[i])[k])) > slack + 1e-4 * box.size) say(`${name}: the second position is elsewhere`);
    });
}

// All that the games would not accept of files that belong together, as sentences. `stem`: name of the file with the HLOD.
export function checkW3d(files, game, stem) {
    const problems = new Set(files.flatMap((file) => file.notes)), say = (problem) => problems.add(problem);
    const all = (key) => files.flatMap((file) => file[key]), meshes = all('meshes'), [hierarchy] = all('hierarchies'), [hlod] = all('hlods');
    if (all('hierarchies').length !== 1 || all('hlods').length > 1 || !hierarchy) return [...problems, `${all('hierarchies').length} hierarchies, ${all('hlods').length} HLODs`];
    const { pivots } = hierarchy, worlds = posePivots(pivots, null, 0), isShort = (name) => name.length >= 1 && name.length <= 15;
    if (hierarchy.version !== 0x40001) say('version of the hierarchy');
    if (pivots[0].name !== 'ROOTTRANSFORM') say(`pivot 0 is ${pivots[0].name}`);
    if (!hierarchy.fixups) say('no PIVOT_FIXUPS');
    if (new Set(pivots.map(({ name }) => name.toLowerCase())).size !== pivots.length) say('names of pivots repeat');
    for (const { name, turn } of pivots) {
        if (!isShort(name)) say(`pivot "${name}"`);
        if (Math.abs(Math.hypot(...turn) - 1) > 1e-4) say(`${name}: its rotation is not of length 1`);
    }
    for (const mesh of meshes) {
        checkMesh(mesh, game, pivots, worlds, say);
        if (!isShort(mesh.name) || !sameName(mesh.container, stem) || mesh.fullName.length > 31) say(`mesh ${mesh.fullName}`);
    }
    if (new Set(meshes.map((mesh) => mesh.fullName.toLowerCase())).size !== meshes.length) say('names of meshes repeat');
    if (hlod) {
        if (hlod.version !== 0x10000 || !sameName(hlod.name, stem) || !sameName(hlod.hierarchy, hierarchy.name)) say(`HLOD ${hlod.name} of ${hlod.hierarchy}, version ${hlod.version}`);
        if (hlod.order[0] !== 'header' || hlod.count !== hlod.levels.length || hlod.order.slice(1, 1 + hlod.count).some((what) => what !== 'level')) say('levels do not follow the header of the HLOD');
        if (Math.abs(hlod.levels.at(-1).largest / LARGEST - 1) > 1e-6) say(`the finest level ends at ${hlod.levels.at(-1).largest}`);
        if (hlod.levels.some((level, i) => i > 0 && level.largest < hlod.levels[i - 1].largest)) say('levels do not go from coarse to fine');
        const objects = hlod.levels.flatMap((level) => level.objects);
        for (const { bone, name } of objects) {
            if (bone >= pivots.length) say(`${name} hangs on pivot ${bone}`);
            if (findMesh({ meshes }, name)?.isSkin && bone !== 0) say(`skin ${name} hangs on pivot ${bone}`);
            if (name.toLowerCase().startsWith(`${stem.toLowerCase()}.`) && !meshes.some((mesh) => sameName(mesh.fullName, name)) && !all('boxes').some((box) => sameName(box.name, name)) && !all('others').some((one) => sameName(one, name))) say(`${name} is not there`);
        }
        for (const mesh of meshes) if (!objects.some(({ name }) => sameName(name, mesh.fullName))) say(`${mesh.name} is not in the HLOD`);
    }
    for (const animation of all('animations')) {
        if (!isShort(animation.name) || !sameName(animation.hierarchy, hierarchy.name)) say(`animation ${animation.name} of ${animation.hierarchy}`);
        if (animation.version !== (animation.isCompressed ? 1 : 0x40001)) say(`${animation.name}: version ${animation.version.toString(16)}`);
        for (const { type, pivot } of animation.channels) {
            if (pivot === 0 || pivot >= pivots.length) say(`${animation.name}: a channel of pivot ${pivot}`);
            if (![0, 1, 2, 6].includes(type) && !(game === 'bfme' && type === 15)) say(`${animation.name}: a channel of type ${type}`);
        }
        for (const { type, pivot } of animation.bits) if (type !== 0 || pivot >= pivots.length) say(`${animation.name}: a bit channel of type ${type}, pivot ${pivot}`);
    }
    if (new Set(all('animations').map(({ name }) => name.toLowerCase())).size !== all('animations').length) say('names of animations repeat');
    return [...problems];
}
