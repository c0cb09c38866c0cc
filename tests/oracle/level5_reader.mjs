// Models of Dark Cloud and Dark Cloud 2, read strictly and posed by the games' own mathematics: pack, info.cfg, MDS with its MDTs, WGT, BBP,
// MOT, and images with TIM2 pictures. Every size adds up, every index is in range; what is not throws.
import { Cursor, IDENTITY, determinant, invert, mix, multiply, must, normalize, rotation, scaling, slerp, transform } from './reading.mjs';

const ENTRY = 80, NODE = 112, TRACK = 32, WEIGHT = 20;
const decoder = new TextDecoder('shift_jis', { fatal: true });
const isAligned = (n) => n % 16 === 0;

// Up to the first NUL, which must be there; Shift-JIS.
function text(cursor, size) {
    const field = cursor.raw(size), end = field.indexOf(0);
    must(end >= 0, `a name without an end in ${size} bytes`);
    return decoder.decode(field.subarray(0, end));
}

// Files of a pack by their names in lower case.
export function readPack(bytes) {
    const files = new Map();
    for (let at = 0; ;) {
        const c = new Cursor(bytes, at), name = text(c, 64), [offset, size, distance] = c.u32s(3);
        if (name === '') {
            must(bytes.length - at === ENTRY && bytes.subarray(at).every((b) => b === 0), 'a pack does not end with an empty entry');
            return files;
        }
        must(offset === ENTRY && distance === ENTRY + Math.ceil(size / 16) * 16 && at + distance < bytes.length, `${name}: entry of ${size} bytes, ${distance} to the next`);
        must(!files.has(name.toLowerCase()), `${name} twice in a pack`);
        files.set(name.toLowerCase(), bytes.subarray(at + ENTRY, at + ENTRY + size));
        at += distance;
    }
}

// info.cfg: commands and their arguments. The second game ends each with a semicolon, the first with its line.
export function readConfig(bytes) {
    const source = decoder.decode(bytes).replace(/\/\*[^]*?\*\//g, ' '), plain = source.replace(/\/\/.*$/gm, '');
    const isFirst = !plain.replace(/"[^"]*"/g, '').includes(';');
    const commands = (isFirst ? plain.split(/\r?\n/) : plain.split(';')).map((line) => line.trim()).filter(Boolean).map((line) => {
        const [, tag, rest] = /^([A-Za-z_0-9]+)\s*([^]*)$/.exec(line) ?? [];
        must(tag, `a line of info.cfg: ${line}`);
        return { tag, args: [...rest.matchAll(/"([^"]*)"|([^\s,"]+)/g)].map(([, quoted, number]) => { must(quoted !== undefined || Number.isFinite(+number), `${number} in info.cfg`); return quoted ?? +number; }) };
    });
    return { isFirst, commands };
}

function readTracks(bytes, nodes, types) {
    const tracks = [];
    for (let c = new Cursor(bytes); c.left > 0;) {
        const [node, target, type] = [c.i32(), c.i32(), c.i32()], [header, count, next] = c.u32s(3);
        c.u32s(2);
        must(header === TRACK && types.includes(type) && node >= 0 && node < nodes, `track of node ${node}, type ${type}, header ${header}`);
        must(next === 0 ? c.left === TRACK * count : next === TRACK + TRACK * count, `track of ${count} keys, ${next} bytes to the next`);
        const keys = c.many(count, () => { const id = c.u32(); c.u32s(3); return { id, value: c.f32s(4) }; });
        must(keys.every((key) => key.value.every(Number.isFinite)), 'a key that is no number');
        tracks.push({ node, target, type, keys });
        must((next === 0) === (c.left === 0), 'the last track does not end the file');
    }
    return tracks;
}

function readMotion(bytes, nodes) {
    const tracks = readTracks(bytes, nodes.length, [0, 1, 2, 12, 40, 41, 50, 51]);
    for (const { keys, node, type } of tracks) {
        must(keys.length > 0 && keys.every((key, i) => i === 0 || key.id > keys[i - 1].id), `frames of node ${node} do not rise`);
        must(type !== 0 || keys.every(({ value }) => Math.abs(Math.hypot(...value) - 1) < 1e-3), `a rotation of node ${node} is not of length 1`);
    }
    return tracks;
}

function readMesh(bytes, start, isFirst) {
    const head = new Cursor(bytes, start);
    must(head.tag() === 'MDT\0' && head.u32() === 64, 'header of an MDT');
    const size = head.u32(), sections = head.many(6, () => [head.i32(), head.i32()]);
    must(start + size <= bytes.length, `MDT of ${size} bytes`);
    const section = ([count, offset], each) => {
        if (offset <= 0) return [];
        must(isAligned(offset) && offset >= 64 && count >= 0 && offset + count * each <= size, `section of ${count} at ${offset}`);
        const c = new Cursor(bytes, start + offset, start + offset + count * each);
        return c.many(count, () => c.window(each));
    };
    const [positions, normals, colors, faces, uvs, materials] = sections, vectors = (one) => section(one, 16).map((c) => c.f32s(4));
    const mesh = { positions: vectors(positions), normals: vectors(normals), colors: vectors(colors), uvs: vectors(uvs), triangles: [] };
    mesh.materials = section(materials, 96).map((c) => { const values = c.f32s(12); c.u32(); return { diffuse: values.slice(0, 4), ambient: values.slice(4, 8), texture: text(c, 32) }; });
    if (faces[1] <= 0) return { ...mesh, size };
    const c = new Cursor(bytes, start + faces[1], start + faces[1] + faces[0]);
    c.u32();
    must(c.u32() === 16, 'header of faces');
    const count = c.u32();
    c.u32();
    let material = -1;
    for (let p = 0; p < count; p++) {
        const flags = c.u32(), corners = c.u32(), own = c.i32(), kind = flags & 7;
        must(kind === 3 || kind === 4, `primitive of type ${flags}`);
        must(!isFirst || flags === 3 || flags === 4, `the first game does not know flags ${flags}`);
        material = own < 0 ? material : own;
        must(material >= 0 && material < mesh.materials.length, `material ${material}`);
        const hasNormal = isFirst || !(flags & 0x200), hasUv = isFirst || !(flags & 0x10), hasColor = isFirst ? colors[1] > 0 : (flags & 0x100) !== 0;
        const index = (list, what) => { const i = c.u32(); must(i < list.length, `${what} ${i} of ${list.length}`); return i; };
        const all = c.many(corners, () => ({ position: index(mesh.positions, 'position'), normal: hasNormal ? index(mesh.normals, 'normal') : -1,
            uv: hasUv ? index(mesh.uvs.length || !isFirst ? mesh.uvs : mesh.positions, 'coordinates') : -1, color: hasColor ? index(mesh.colors, 'colour') : -1 }));
        must(kind === 4 ? corners >= 3 : corners % 3 === 0, `${corners} corners`);
        for (let k = 0; k + 2 < corners; k += kind === 4 ? 1 : 3)
            mesh.triangles.push({ material, corners: kind === 4 && k & 1 ? [all[k + 1], all[k], all[k + 2]] : [all[k], all[k + 1], all[k + 2]] });
    }
    must(c.left < 16, `${c.left} bytes are left behind the faces`);
    return { ...mesh, size };
}

function readNodes(bytes, isFirst) {
    const c = new Cursor(bytes);
    must(c.tag() === 'MDS\0' && c.u32() === 1, 'header of an MDS');
    const count = c.u32();
    must(c.u32() === 16, 'nodes do not begin at 16');
    const nodes = c.many(count, (_, i) => {
        must(c.u32() === i && c.u32() === NODE, `record of node ${i}`);
        const node = { name: text(c, 32), mesh: c.u32(), parent: c.i32(), local: c.f32s(16) };
        must(i === 0 ? node.parent < 0 : node.parent >= 0 && node.parent < i, `node ${node.name} below ${node.parent}`);
        must([3, 7, 11].every((k) => Math.abs(node.local[k]) < 1e-6) && Math.abs(node.local[15] - 1) < 1e-6, `matrix of ${node.name}`);
        return node;
    });
    let end = c.at;
    const meshes = new Map(nodes.filter(({ mesh }) => mesh > 0).map(({ mesh }) => mesh).sort((a, b) => a - b).map((offset) => [offset, null]));
    for (const offset of meshes.keys()) {
        must(offset >= end && offset - end < 16, `an MDT at ${offset}, the last one ended at ${end}`);
        meshes.set(offset, readMesh(bytes, offset, isFirst));
        end = offset + meshes.get(offset).size;
    }
    for (const node of nodes) node.mesh = meshes.get(node.mesh) ?? null;
    must(bytes.length - end < 16, `${bytes.length - end} bytes behind the last MDT`);
    return nodes;
}

// Weights of vertices by mesh node. What the games need of them throws.
function readWeights(bytes, nodes, isFirst) {
    const tracks = readTracks(bytes, nodes.length, [WEIGHT]), meshes = new Map();
    for (const { node, target, keys } of tracks) {
        const { mesh, parent } = nodes[node];
        must(mesh, `weights of ${nodes[node].name}, which has no mesh`);
        must(target >= 0 && target < nodes.length, `bone ${target}`);
        if (!meshes.has(node)) {
            meshes.set(node, { seen: new Set(), vertices: mesh.positions.map(() => []) });
            must(!isFirst || (target === Math.max(parent, 0) && keys.length === 0), `weights of ${nodes[node].name} do not begin with its parent`);
        } else must(!isFirst || meshes.get(node).seen.has(nodes[target].parent), `${nodes[target].name} comes before its parent`);
        meshes.get(node).seen.add(target);
        for (const { id, value: [percent] } of keys) {
            must(id < mesh.positions.length && percent >= 0 && percent <= 100.001, `weight ${percent} of vertex ${id}`);
            meshes.get(node).vertices[id].push([target, percent / 100]);
        }
    }
    for (const [node, { seen, vertices }] of meshes) {
        must(!isFirst || vertices.length <= 3000, `${vertices.length} vertices`);
        const used = new Set(vertices.flat().map(([bone]) => bone));
        must(isFirst || (used.size <= 32 && vertices.every((all) => all.length <= 4)), `${used.size} bones, or more than four of a vertex, in ${nodes[node].name}`);
        must(isFirst || [...seen].every((bone) => used.has(bone)), `a bone of ${nodes[node].name} without weights`);
    }
    return new Map([...meshes].map(([node, { vertices }]) => [node, vertices]));
}

// One TIM2 picture as RGBA, rows from the first stored one.
export function readTim2(bytes) {
    const c = new Cursor(bytes);
    must(c.tag() === 'TIM2', 'not a TIM2');
    c.u8();
    must(c.u8() === 0 && c.u16() === 1, 'alignment or number of pictures');
    c.raw(8);
    const [total, clutBytes, pixelBytes] = c.u32s(3), header = c.u16(), colors = c.u16();
    c.u8();
    const levels = c.u8(), clutType = c.u8(), type = c.u8(), width = c.u16(), height = c.u16();
    const bits = [0, 16, 24, 32, 4, 8][type], colorBits = [0, 16, 24, 32][clutType & 63];
    must(levels === 1 && bits && total === header + clutBytes + pixelBytes && bytes.length >= 16 + total && bytes.length - 16 - total < 16, `picture of ${total} bytes, ${bytes.length} are there`);
    must(pixelBytes >= width * height * bits / 8 && clutBytes >= (type >= 4 ? colors * colorBits / 8 : 0), `${width} x ${height} of ${bits} bits in ${pixelBytes} bytes`);
    const pixels = bytes.subarray(16 + header, 16 + header + pixelBytes), clut = bytes.subarray(16 + header + pixelBytes, 16 + header + pixelBytes + clutBytes);
    const color = (from, size, i) => {
        const word = size === 16 ? from.readUInt16LE(2 * i) : 0, at = i * size / 8, alpha = (a) => Math.min(255, 2 * a);
        if (size === 16) return [word & 31, word >> 5 & 31, word >> 10 & 31].map((v) => v << 3 | v >> 2).concat(word & 0x8000 ? 255 : 0);
        return [from[at], from[at + 1], from[at + 2], size === 32 ? alpha(from[at + 3]) : 255];
    };
    const rgba = Buffer.alloc(4 * width * height);
    for (let i = 0; i < width * height; i++) {
        let index = type === 4 ? pixels[i >> 1] >> (i & 1 ? 4 : 0) & 15 : pixels[i];
        must(type < 4 || index < colors, `colour ${index} of ${colors}`);
        if (type === 5 && !(clutType & 0x80)) index = index & ~24 | (index & 8) << 1 | (index & 16) >> 1;         // bits 3 and 4 are exchanged
        rgba.set(type >= 4 ? color(clut, colorBits, index) : color(pixels, bits, i), 4 * i);
    }
    return { width, height, rgba, type };
}

function readImages(bytes, isFirst) {
    const magic = bytes.toString('latin1', 0, 4), isThird = magic === 'IM3\0', each = isThird ? 64 : 48, pictures = new Map();
    must(isFirst ? magic === 'IMG\0' || magic === 'IM2\0' : isThird, `${magic} is of the other game`);
    const count = bytes.readUInt32LE(isThird ? 8 : 4), offsets = [];
    for (let i = 0; i < count; i++) {
        const c = new Cursor(bytes, 16 + each * i), name = text(c, 32);
        must(!isThird || c.u32() === 64, `entry of ${name}`);
        const offset = c.u32(), isSwizzled = isThird && c.u32() !== 0;
        if (isThird) c.u32s(2);
        const size = isThird ? c.u32() : bytes.readUInt32LE(offset + 16) + 16;
        must(isAligned(offset) && offset >= 16 + each * count && offset + size <= bytes.length, `${name} at ${offset} of ${bytes.length}`);
        must(!isSwizzled && !pictures.has(name), `${name} twice, or swizzled`);
        offsets.push([offset, size]);
        pictures.set(name, readTim2(bytes.subarray(offset, offset + size)));
    }
    offsets.sort(([a], [b]) => a - b).forEach(([offset, size], i, all) => must(i === 0 || offset >= all[i - 1][0] + all[i - 1][1], 'pictures overlap'));
    return pictures;
}

// `find` returns the bytes of a file of the given name in lower case, or undefined.
export function readModel(config, find) {
    const { isFirst, commands } = readConfig(config), all = (tag) => commands.filter((one) => one.tag === tag).map(({ args }) => args);
    const file = (name) => { const bytes = find(name.toLowerCase()); must(bytes, `${name} is not there`); return bytes; };
    const [[modelName]] = all('MODEL'), motions = all('MOTION'), nodes = readNodes(file(modelName), isFirst);
    const model = { isFirst, nodes, pictures: new Map(), weights: new Map(), bind: null, clips: [], names: commands.map(({ tag }) => tag) };
    for (const [, name] of all('IMG')) for (const [key, picture] of readImages(file(name), isFirst)) model.pictures.set(key, picture);
    const [, motion, bind, weights] = motions[0] ?? [];
    if (bind) {
        const c = new Cursor(file(bind));
        model.bind = c.many(nodes.length, () => c.f32s(16));
        c.end('a BBP');
    }
    if (weights && file(weights).length) model.weights = readWeights(file(weights), nodes, isFirst);
    model.tracks = motions.map(([, name]) => name ? readMotion(file(name), nodes) : []);
    must(isFirst || !weights || weights.split('.')[0].toLowerCase() === modelName.split('.')[0].toLowerCase(), `the second game looks for weights in ${modelName.split('.')[0]}.wgt`);
    let set = -1;
    for (const { tag, args } of commands) {
        if (tag === 'MOTION') set++;
        if (tag === 'KEY') {
            const [start, end, speed] = isFirst ? args : args.slice(1);
            must(args.length === (isFirst ? 3 : 4) && end >= start && speed >= 0, `KEY ${args}`);
            model.clips.push({ name: isFirst ? '' : args[0], start, end, speed, set });
        }
    }
    const baseName = (name) => name.split('__')[0], changing = new Set([...all('VERTEX_ANIME'), ...all('ALLOC_DBUFF'), ...all('ALLOC_MDT')].flat());
    for (const [node, vertices] of model.weights)
        must(vertices.every((one) => one.length === 0) || changing.has(baseName(nodes[node].name)), `${nodes[node].name} is skinned and not in ${[...changing]}`);
    for (const { mesh, name } of nodes)
        for (const { texture } of mesh ? mesh.materials : [])
            must(texture === '' || model.pictures.has(texture), `${name}: picture ${texture} is not there`);
    model.rate = isFirst ? 60 : 30;
    return model;
}

// The main model of a pack: its only info.cfg.
export function readModelPack(bytes) {
    const files = readPack(bytes), configs = [...files.keys()].filter((name) => name.endsWith('.cfg'));
    must(configs.length === 1, `${configs.length} .cfg in a pack`);
    return readModel(files.get(configs[0]), (name) => files.get(name));
}

function sample(keys, t, isRotation, straight) {
    const i = Math.max(0, keys.findLastIndex((key) => key.id <= Math.floor(t))), a = keys[i], b = keys[i + 1] ?? a;
    if (a === b || t <= a.id) return a.value;
    const u = (t - a.id) / (b.id - a.id);
    return isRotation ? slerp(a.value, b.value, u, straight) : mix(a.value, b.value, u);
}

// World matrices and what is hidden, at a frame of the timeline.
function poseNodes(model, clip, frame) {
    const tracks = clip ? model.tracks[clip.set] : [], locals = model.nodes.map(({ local }) => [...local]), scales = model.nodes.map(() => [1, 1, 1]);
    const hidden = model.nodes.map(() => false), isSubtreeHidden = model.nodes.map(() => false), shapes = new Map();
    for (const { node, type, target, keys } of tracks) {
        const value = sample(keys, frame, type === 0, model.isFirst ? 1e-3 : 1e-2), step = keys[Math.max(0, keys.findLastIndex((key) => key.id <= Math.floor(frame)))].value[0];
        if (type === 0) {
            const [w, x, y, z] = value, r = rotation(normalize([-x, -y, -z, w]));
            for (let k = 0; k < 12; k++) locals[node][k] = r[k];
        } else if (type === 1) scales[node] = value.slice(0, 3);
        else if (type === 2) locals[node].splice(12, 3, value[0], value[1], value[2]);
        else if (type === 12) shapes.set(node, [...(shapes.get(node) ?? []), [target - 1, value]]);
        else if (type === 50) hidden[node] = step < 1;
        else if (type === 51) isSubtreeHidden[node] = step < 1;
    }
    const worlds = [];
    locals.forEach((local, i) => {
        const move = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, local[12], local[13], local[14], 1], turn = [...local.slice(0, 12), 0, 0, 0, 1];
        locals[i] = model.isFirst ? multiply(move, turn, scaling(scales[i])) : multiply(move, scaling(scales[i]), turn);
        const { parent } = model.nodes[i];
        worlds.push(parent < 0 ? locals[i] : multiply(worlds[parent], locals[i]));
        isSubtreeHidden[i] ||= parent >= 0 && isSubtreeHidden[parent];
        hidden[i] ||= isSubtreeHidden[i] || /__.*v/.test(model.nodes[i].name);
    });
    return { worlds, hidden, shapes };
}

const isUsable = (matrix) => matrix && Math.abs(determinant(matrix)) >= 1e-6;

// What takes a vertex of mesh `m` to where bone `b` has it.
function jointMatrix(model, worlds, m, b) {
    const { nodes, bind, isFirst } = model, parent = nodes[m].parent, rest = (i) => i < 0 ? IDENTITY : multiply(rest(nodes[i].parent), nodes[i].local);
    if (!isFirst) {
        const bound = (i) => isUsable(bind?.[i]) ? bind[i] : rest(i);
        return multiply(worlds[b], invert(bound(b)), bound(m));
    }
    let bound = IDENTITY, at = b;
    for (; at !== parent && at >= 0; at = nodes[at].parent) bound = multiply(isUsable(bind?.[at]) ? bind[at] : nodes[at].local, bound);
    must(at === parent, `${nodes[b].name} is not below the parent of ${nodes[m].name}`);
    return multiply(worlds[b], invert(bound), nodes[m].local);
}

// Vertices that are shown, seconds into a clip, by mesh node: { node, positions }.
export function poseModel(model, clip, seconds) {
    const frame = clip ? Math.min(clip.end, clip.start + seconds * model.rate * clip.speed) : 0, { worlds, hidden, shapes } = poseNodes(model, clip, frame), posed = [];
    model.nodes.forEach(({ mesh, parent, local }, m) => {
        if (!mesh || hidden[m]) return;
        const weights = model.weights.get(m), matrices = new Map(), at = mesh.positions.map((p) => p.slice(0, 3));
        for (const [vertex, value] of shapes.get(m) ?? []) at[vertex] = value.slice(0, 3);
        const joint = (b) => { if (!matrices.has(b)) matrices.set(b, jointMatrix(model, worlds, m, b)); return matrices.get(b); };
        // The first game works in the space of the mesh's parent; what the mesh's own node does is applied to all.
        const stay = model.isFirst ? worlds[m] : null, own = model.isFirst ? multiply(worlds[m], invert(local), parent < 0 ? IDENTITY : invert(worlds[parent])) : IDENTITY;
        const positions = at.map((p, i) => {
            const all = weights?.[i] ?? [], sum = all.reduce((total, [, w]) => total + w, 0);
            if (all.length === 0) return transform(worlds[m], p);
            const scale = !model.isFirst && sum < 1 ? 1 / sum : 1, result = stay ? transform(stay, p).map((v) => v * (1 - sum)) : [0, 0, 0];
            for (const [b, w] of all) transform(multiply(own, joint(b)), p).forEach((v, k) => { result[k] += w * scale * v; });
            return result;
        });
        posed.push({ node: m, positions });
    });
    return posed;
}
