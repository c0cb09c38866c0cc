// Reads Level-5 packs and poses their models, written from the description of the formats alone: no code of sinew's, no tolerance.
// Whatever the games demand and the file lacks throws.
const demand = (isTrue, what) => { if (!isTrue) throw new Error(what); };

// --- Matrices: 16 floats as stored, columns after columns; points are columns ---
export const identity = () => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
export const multiply = (a, b) => Array.from({ length: 16 }, (_, i) => {
    const r = i % 4, c = i - r;
    return a[r] * b[c] + a[r + 4] * b[c + 1] + a[r + 8] * b[c + 2] + a[r + 12] * b[c + 3];
});
export const transform = (m, p) => [0, 1, 2].map((r) => m[r] * p[0] + m[r + 4] * p[1] + m[r + 8] * p[2] + m[r + 12]);

export function invert(m) {
    const at = (r, c) => m[4 * c + r], out = identity();
    const cofactor = (r, c) => at((r + 1) % 3, (c + 1) % 3) * at((r + 2) % 3, (c + 2) % 3) - at((r + 1) % 3, (c + 2) % 3) * at((r + 2) % 3, (c + 1) % 3);
    const determinant = at(0, 0) * cofactor(0, 0) + at(0, 1) * cofactor(0, 1) + at(0, 2) * cofactor(0, 2);
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) out[4 * c + r] = cofactor(c, r) / determinant;
    for (let r = 0; r < 3; r++) out[12 + r] = -(out[r] * m[12] + out[4 + r] * m[13] + out[8 + r] * m[14]);
    return out;
}

// As DC1 does it: transposed, whatever the scale.
function invertRigid(m) {
    const out = identity();
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) out[4 * c + r] = m[4 * r + c];
    for (let r = 0; r < 3; r++) out[12 + r] = -(out[r] * m[12] + out[4 + r] * m[13] + out[8 + r] * m[14]);
    return out;
}

// --- Files ---
function readText(bytes, at, size) {
    const field = bytes.subarray(at, at + size), end = field.indexOf(0);
    demand(end >= 0, `a name of ${size} bytes without a NUL`);
    return new TextDecoder('shift_jis', { fatal: true }).decode(field.subarray(0, end));
}

export function readPack(bytes) {
    const files = new Map();
    let at = 0;
    for (; bytes[at] !== 0;) {
        const name = readText(bytes, at, 64);
        const [offset, size, distance] = [64, 68, 72].map((k) => bytes.readUInt32LE(at + k));
        demand(offset === 80 && distance === 80 + Math.ceil(size / 16) * 16, `${name}: offset ${offset}, distance ${distance}`);
        files.set(name.toLowerCase(), bytes.subarray(at + 80, at + 80 + size));
        at += distance;
    }
    demand(bytes.length === at + 80, 'the pack does not end with an empty entry');
    return files;
}

const floats = (bytes, at, count) => Array.from({ length: count }, (_, i) => bytes.readFloatLE(at + 4 * i));

function readMesh(bytes, at, isFirst) {
    demand(bytes.toString('latin1', at, at + 4) === 'MDT\0' && bytes.readUInt32LE(at + 4) === 64, 'no MDT');
    demand(at % 16 === 0, `an MDT at byte ${at}`);
    const section = (word) => {
        const count = bytes.readInt32LE(at + word), offset = bytes.readInt32LE(at + word + 4);
        demand(count === 0 || (offset >= 64 && offset % 16 === 0), `a section at byte ${offset}`);
        return [count, at + offset];
    };
    const vectors = ([count, from]) => Array.from({ length: count }, (_, i) => floats(bytes, from + 16 * i, 4));
    const mesh = { size: bytes.readUInt32LE(at + 8), positions: vectors(section(0x0C)), normals: vectors(section(0x14)) };
    mesh.colors = vectors(section(0x1C));
    mesh.uvs = vectors(section(0x2C));
    const [faceBytes, faces] = section(0x24), [materials, records] = section(0x34);
    mesh.materials = Array.from({ length: materials }, (_, i) => ({ diffuse: floats(bytes, records + 96 * i, 4), texture: readText(bytes, records + 96 * i + 0x34, 32) }));
    mesh.triangles = [];
    demand(bytes.readUInt32LE(faces + 4) === 16, 'no header of faces');
    let word = faces + 16;
    for (let n = bytes.readUInt32LE(faces + 8); n > 0; n--) {
        const flags = bytes.readUInt32LE(word), corners = bytes.readUInt32LE(word + 4), material = bytes.readInt32LE(word + 8);
        const stride = isFirst ? (mesh.colors.length ? 4 : 3) : 3 + !!(flags & 0x100) - !!(flags & 0x10) - !!(flags & 0x200);
        demand(isFirst ? flags === 3 : (flags & ~0x310) === 3, `primitive ${flags.toString(16)}`);
        demand(material >= 0 && material < materials && corners % 3 === 0, `material ${material}, ${corners} corners`);
        const limits = [mesh.positions.length];
        if (isFirst || !(flags & 0x200)) limits.push(mesh.normals.length);
        if (isFirst || !(flags & 0x10)) limits.push(mesh.uvs.length);
        if (limits.length < stride) limits.push(mesh.colors.length);
        for (let i = 0; i < corners; i++) {
            const index = Array.from({ length: stride }, (_, k) => bytes.readUInt32LE(word + 12 + 4 * (stride * i + k)));
            index.forEach((value, k) => demand(value < limits[k], `index ${value} of ${limits[k]}`));
            mesh.triangles.push({ position: index[0], material });
        }
        word += 12 + 4 * stride * corners;
    }
    demand(word - faces === faceBytes, `${word - faces} bytes of faces, not ${faceBytes}`);
    return mesh;
}

function readMds(bytes, isFirst) {
    demand(bytes.toString('latin1', 0, 4) === 'MDS\0' && bytes.readUInt32LE(4) === 1 && bytes.readUInt32LE(12) === 16, 'no MDS of version 1');
    const nodes = Array.from({ length: bytes.readUInt32LE(8) }, (_, i) => {
        const at = 16 + 112 * i;
        demand(bytes.readUInt32LE(at) === i && bytes.readUInt32LE(at + 4) === 112, `node ${i}: not a record of 112 bytes`);
        const [mesh, parent] = [bytes.readUInt32LE(at + 0x28), bytes.readInt32LE(at + 0x2C)];
        demand(i === 0 ? parent === -1 : parent >= 0 && parent < i, `node ${i} below ${parent}: the first is the only root, parents come first`);
        const name = readText(bytes, at + 8, 32), local = floats(bytes, at + 0x30, 16);
        demand(local[3] === 0 && local[7] === 0 && local[11] === 0 && local[15] === 1, `node ${i}: no affine matrix`);
        return { name, plain: name.split('__')[0], codes: name.split('__')[1] ?? '', parent, local, mesh: mesh ? readMesh(bytes, mesh, isFirst) : null };
    });
    for (const node of nodes) demand(node.plain.length > 0, 'a node without a name');
    return nodes;
}

export function readTracks(bytes) {
    const tracks = [];
    for (let at = 0, next = 1; next !== 0; at += next) {
        const [node, target, type] = [0, 4, 8].map((k) => bytes.readInt32LE(at + k));
        const count = bytes.readUInt32LE(at + 16);
        next = bytes.readUInt32LE(at + 20);
        demand(bytes.readUInt32LE(at + 12) === 32, 'a header of a track that is not of 32 bytes');
        demand(next === 0 ? at + 32 + 32 * count === bytes.length : next === 32 + 32 * count, `${count} keys, the next track is ${next} bytes away`);
        const keys = Array.from({ length: count }, (_, i) => ({ frame: bytes.readUInt32LE(at + 32 + 32 * i), value: floats(bytes, at + 48 + 32 * i, 4) }));
        keys.forEach((key, i) => demand(i === 0 || key.frame > keys[i - 1].frame, `key ${key.frame} after ${keys[i - 1]?.frame}`));
        tracks.push({ node, target, type, keys });
    }
    return tracks;
}

// Commands as [tag, ...arguments]; `isFirst`: without semicolons, names of clips in comments.
export function readConfig(text) {
    const isFirst = !text.replace(/"[^"]*"|\/\/.*/g, '').includes(';');
    return { isFirst, commands: text.trim().split('\r\n').map((line) => {
        const [, tag, rest, comment] = /^([A-Z][A-Z0-9_]*)((?:"(?:\\"|[^"])*"|[^;"/])*);?(?: \/\/ (.*))?$/.exec(line) ?? [];
        demand(tag && isFirst !== line.includes(';'), `a line of the configuration: ${line}`);
        const args = [...rest.matchAll(/"((?:\\"|[^"])*)"|([^,\s]+)/g)].map(([, quoted, number]) => {
            demand(quoted !== undefined || /^-?\d+(\.\d+)?$/.test(number), `not a number: ${number}`);
            return quoted !== undefined ? quoted.replaceAll('\\"', '"') : Number(number);
        });
        return { tag, args, comment };
    }) };
}

export function readTim2(bytes) {
    demand(bytes.toString('latin1', 0, 4) === 'TIM2' && bytes[5] === 0 && bytes.readUInt16LE(6) === 1, 'no TIM2 with one picture at byte 16');
    const [total, clut, size] = [16, 20, 24].map((at) => bytes.readUInt32LE(at));
    const header = bytes.readUInt16LE(28), colors = bytes.readUInt16LE(30), kind = bytes[35], width = bytes.readUInt16LE(36), height = bytes.readUInt16LE(38);
    demand(total === header + size + clut && bytes.length >= 16 + total, `${total} bytes of a picture`);
    const pixels = bytes.subarray(16 + header, 16 + header + size), palette = bytes.subarray(16 + header + size);
    demand(kind < 4 || (clut === 4 * colors && colors === (kind === 4 ? 16 : 256)), `${colors} colours in ${clut} bytes`);
    const alpha = (a) => Math.min(255, 2 * a), rgba = Buffer.alloc(width * height * 4, 255);
    for (let i = 0; i < width * height; i++) {
        let from = pixels, at = i * (kind === 2 ? 3 : 4);
        if (kind >= 4) {
            const index = kind === 5 ? pixels[i] : pixels[i >> 1] >> 4 * (i & 1) & 15;
            from = palette;
            at = 4 * (kind === 5 ? index & ~24 | (index & 8) << 1 | (index & 16) >> 1 : index);
        }
        for (let c = 0; c < 3; c++) rgba[4 * i + c] = from[at + c];
        if (kind !== 2) rgba[4 * i + 3] = alpha(from[at + 3]);
    }
    return { width, height, rgba };
}

export function readPictures(bytes, isFirst) {
    const kind = bytes.toString('latin1', 0, 4), each = kind === 'IM3\0' ? 64 : 48;
    demand(kind === (isFirst ? 'IMG\0' : 'IM3\0'), `pictures of kind ${kind}`);
    return new Map(Array.from({ length: bytes.readUInt32LE(isFirst ? 4 : 8) }, (_, i) => {
        const at = 16 + each * i, from = bytes.readUInt32LE(at + (isFirst ? 0x20 : 0x24));
        demand(isFirst || bytes.readUInt32LE(at + 0x28) === 0, 'swizzled pixels');
        demand(from % 16 === 0, `a picture at byte ${from}`);
        return [readText(bytes, at, 32), readTim2(bytes.subarray(from))];
    }));
}

// --- The model, with what the games demand of weights and bind matrices ---
export function readModel(bytes) {
    const files = readPack(bytes), { isFirst, commands } = readConfig(new TextDecoder('shift_jis').decode(files.get('info.cfg')));
    const find = (tag) => commands.filter((command) => command.tag === tag), open = (name) => files.get(name.toLowerCase());
    const file = find('MODEL')[0].args[0], nodes = readMds(open(file), isFirst);
    const changing = new Set(find(isFirst ? 'ALLOC_DBUFF' : 'VERTEX_ANIME').flatMap((command) => command.args));
    const model = { isFirst, nodes, changing, hasShapes: find('SHAPE_ANIME').length > 0, sets: [], clips: [], pictures: new Map() };
    const binds = open(file.replace(/\.mds$/, '.bbp'));
    demand(binds.length === 64 * nodes.length, `${binds.length / 64} bind matrices for ${nodes.length} nodes`);
    nodes.forEach((node, i) => { node.bind = floats(binds, 64 * i, 16); });
    for (const command of find('IMG')) model.pictures = readPictures(open(command.args[1]), isFirst);

    let set = null;
    for (const { tag, args, comment } of commands) {
        if (tag === 'MOTION') set = { tracks: args[1] ? readTracks(open(args[1])) : [] };
        if (tag === 'KEY') model.clips.push({ name: isFirst ? comment : args[0], set, start: args.at(-3), end: args.at(-2), speed: args.at(-1) });
    }
    const weights = files.get(file.toLowerCase().replace(/\.mds$/, '.wgt'));
    readWeights(model, weights ? readTracks(weights) : []);
    return model;
}

function readWeights(model, tracks) {
    const { nodes, isFirst } = model, visited = new Map();
    for (const track of tracks) {
        const node = nodes[track.node], bone = nodes[track.target];
        demand(track.type === 20 && node?.mesh && bone, `weights of node ${track.node} on ${track.target}`);
        demand(model.changing.has(node.plain) && !model.hasShapes, `"${node.plain}" has weights, but the configuration does not list it`);
        if (isFirst) {
            if (!visited.has(track.node)) {
                demand(track.target === node.parent && track.keys.length === 0, 'the first weights are not the parent\'s, without any');
                visited.set(track.node, new Set([node.parent]));
            } else {
                demand(visited.get(track.node).has(bone.parent), `bone ${track.target} comes before its parent`);
                visited.get(track.node).add(track.target);
            }
        }
        node.weights ??= node.mesh.positions.map(() => new Map());
        for (const key of track.keys) {
            demand(key.frame < node.mesh.positions.length && !node.weights[key.frame].has(track.target), `weight of vertex ${key.frame}`);
            demand(key.value[0] > 0 && key.value[0] <= 100.0001, `${key.value[0]} percent`);
            node.weights[key.frame].set(track.target, key.value[0] / 100);
        }
    }
    for (const node of nodes.filter((one) => one.weights)) {
        const bones = new Set();
        for (const weights of node.weights) {
            const sum = [...weights.values()].reduce((a, b) => a + b, 0);
            if (!isFirst) demand(Math.abs(sum - 1) < 1e-6 && weights.size <= 4, `${weights.size} weights that sum to ${sum}`);
            demand(sum < 1 + 1e-6, `weights that sum to ${sum}`);
            for (const bone of weights.keys()) bones.add(bone);
        }
        demand(isFirst ? node.weights.length <= 3000 : bones.size <= 32, `${node.weights.length} vertices on ${bones.size} bones`);
        for (const bone of isFirst ? bones : []) {
            const m = nodes[bone].bind, dot = (i, k) => m[4 * i] * m[4 * k] + m[4 * i + 1] * m[4 * k + 1] + m[4 * i + 2] * m[4 * k + 2];
            for (let i = 0; i < 3; i++) for (let k = 0; k < 3; k++) demand(Math.abs(dot(i, k) - (i === k)) < 1e-4, `bone ${bone} is bound with scale`);
        }
    }
}

// --- Posing ---
function sample(keys, frame, isRotation, isFirst) {
    let i = keys.findIndex((key) => key.frame > Math.floor(frame)) - 1;
    if (i === -2) i = keys.length - 1;
    if (i < 0) i = 0;
    const a = keys[i].value, next = keys[i + 1];
    if (!next || frame <= keys[i].frame) return a;
    const b = next.value, u = (frame - keys[i].frame) / (next.frame - keys[i].frame);
    if (!isRotation) return a.map((value, k) => value + (b[k] - value) * u);
    const dot = a.reduce((sum, value, k) => sum + value * b[k], 0), sign = dot < 0 ? -1 : 1;
    if (!isFirst) demand(Math.abs(dot) >= 0.01, 'a half turn, over which the game jumps');
    const angle = Math.acos(Math.min(1, Math.abs(dot)));
    if (angle < 1e-6) return a;
    return a.map((value, k) => (value * Math.sin((1 - u) * angle) + sign * b[k] * Math.sin(u * angle)) / Math.sin(angle));
}

// Stored w, x, y, z of the inverse rotation.
function rotation([w, x, y, z]) {
    [x, y, z] = [-x, -y, -z];
    const s = 2 / (w * w + x * x + y * y + z * z);
    return [1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y), 0, s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x), 0,
        s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y), 0];
}

// The corners of all triangles that are shown, in model space.
export function poseModel(model, clip, seconds) {
    const { nodes, isFirst } = model, frame = clip.start + seconds * (isFirst ? 60 : 30) * clip.speed;
    const state = nodes.map((node) => ({ local: [...node.local], scale: [1, 1, 1], isShown: !/^(?:a..|b.|[^abv])*v/.test(node.codes), moved: new Map() }));
    for (const { node, target, type, keys } of clip.set.tracks) {
        const value = sample(keys, frame, type === 0, isFirst), one = state[node];
        if (type === 0) one.local.splice(0, 12, ...rotation(value));
        else if (type === 1) one.scale = value.slice(0, 3);
        else if (type === 2) one.local.splice(12, 3, ...value.slice(0, 3));
        else if (type === 12) one.moved.set(target - 1, value);
        else if (type === 51) one.isShown &&= (keys.findLast((key) => key.frame <= frame) ?? keys[0]).value[0] >= 1;
        else demand(type === 40 || type === 41, `a track of type ${type}`);
    }
    nodes.forEach((node, i) => {
        const one = state[i];
        for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) one.local[4 * c + r] *= one.scale[isFirst ? c : r];
        one.world = i === 0 ? one.local : multiply(state[node.parent].world, one.local);
        one.isShown &&= i === 0 || state[node.parent].isShown;
    });
    return nodes.flatMap((node, i) => node.mesh && state[i].isShown ? poseMesh(model, state, i) : []);
}

function poseMesh(model, state, index) {
    const { nodes, isFirst } = model, node = nodes[index], parent = node.parent, palettes = new Map();
    const palette = (bone) => {
        if (palettes.has(bone)) return palettes.get(bone);
        let matrix = identity(), bind = identity();
        if (isFirst) {
            for (let at = bone; at !== parent; at = nodes[at].parent) {
                demand(at >= 0, `bone ${bone} is not below the parent of its mesh`);
                matrix = multiply(state[at].local, matrix);
                bind = multiply(bind, invertRigid(nodes[at].bind));
            }
            matrix = multiply(matrix, bind);
        } else {
            matrix = multiply(multiply(state[bone].world, invert(nodes[bone].bind)), node.bind);
        }
        palettes.set(bone, matrix);
        return matrix;
    };
    const places = node.mesh.positions.map((position, vertex) => {
        const at = (state[index].moved.get(vertex) ?? position).slice(0, 3);
        if (!node.weights) return transform(state[index].world, at);
        const start = isFirst ? transform(node.local, at) : [0, 0, 0], sum = [...start];
        for (const [bone, weight] of node.weights[vertex]) {
            const moved = transform(palette(bone), isFirst ? start : at);
            for (let k = 0; k < 3; k++) sum[k] += weight * (moved[k] - (isFirst ? start[k] : 0));
        }
        return isFirst ? transform(multiply(state[index].world, invert(node.local)), sum) : sum;
    });
    return node.mesh.triangles.map(({ position }) => places[position]);
}
