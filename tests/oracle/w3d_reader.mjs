// A reader of W3D files, written from a description of the format alone: chunks, pivots, meshes, animations, HLODs. It knows
// nothing of sinew. Everything that breaks a rule of the games is a problem, in words.
const HEADERS = { 0x0: 0x1f, 0x100: 0x101, 0x200: 0x201, 0x280: 0x281, 0x700: 0x701 };
const CONTAINERS = new Set([0x0, 0x2a, 0x2b, 0x30, 0x31, 0x38, 0x48, 0x50, 0x51, 0x100, 0x200, 0x280, 0x700, 0x702, 0x705, 0x706, 0x460, 0x900]);
const FLT_MAX = 3.4028234663852886e38;

export function readChunks(bytes, problems, start = 0, end = bytes.length, depth = 0) {
    const chunks = [];
    for (let at = start; at < end;) {
        if (end - at < 8) { problems.push(`${end - at} stray bytes`); break; }
        const id = bytes.readUInt32LE(at), size = bytes.readUInt32LE(at + 4), length = size & 0x7fffffff;
        const isContainer = CONTAINERS.has(id);
        if (at + 8 + length > end) { problems.push(`chunk ${id.toString(16)} passes its parent's end`); break; }
        if (isContainer !== size > 0x7fffffff) problems.push(`bit 31 of chunk ${id.toString(16)} is wrong`);
        const chunk = { id, bytes: bytes.subarray(at + 8, at + 8 + length), children: [] };
        if (isContainer) chunk.children = readChunks(bytes, problems, at + 8, at + 8 + length, depth + 1);
        if (id in HEADERS && chunk.children[0]?.id !== HEADERS[id]) problems.push(`chunk ${id.toString(16)} does not start with its header`);
        chunks.push(chunk);
        at += 8 + length;
    }
    return chunks;
}

const all = (chunk, id) => chunk.children.filter((child) => child.id === id);
const one = (chunk, id) => chunk.children.find((child) => child.id === id);
const floats = (chunk) => chunk ? Array.from({ length: chunk.bytes.length / 4 }, (_, i) => chunk.bytes.readFloatLE(4 * i)) : null;
const words = (chunk) => chunk ? Array.from({ length: chunk.bytes.length / 4 }, (_, i) => chunk.bytes.readUInt32LE(4 * i)) : null;

function name(bytes, at, size, problems) {
    const end = bytes.indexOf(0, at);
    if (end < 0 || end >= at + size) problems.push(`a name fills its ${size} bytes`);
    if (bytes.subarray(end, at + size).some((byte) => byte !== 0)) problems.push('bytes after a name');
    return bytes.toString('utf8', at, Math.min(end < 0 ? at + size : end, at + size));
}
const text = (chunk) => chunk ? chunk.bytes.toString('utf8', 0, chunk.bytes.indexOf(0)) : null;

const rotate = (q, v) => {
    const [x, y, z, w] = q, t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
};
const multiply = (a, b) => [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]];
const place = (m, v) => { const r = rotate(m.q, v); return [r[0] + m.t[0], r[1] + m.t[1], r[2] + m.t[2]]; };
const times = (a, b) => ({ t: place(a, b.t), q: multiply(a.q, b.q) });

function readHierarchy(chunk, problems) {
    const header = one(chunk, 0x101).bytes, table = one(chunk, 0x102).bytes, fixups = one(chunk, 0x103);
    const count = header.readUInt32LE(20), pivots = [];
    if (header.length !== 36 || header.readUInt32LE(0) !== 0x40001) problems.push('hierarchy is not version 4.1');
    if (table.length !== 60 * count) problems.push(`${table.length} bytes of pivots for ${count}`);
    if (!fixups || fixups.bytes.length !== 48 * count) problems.push('PIVOT_FIXUPS are not 48 bytes each');
    for (let i = 0; i < count; i++) {
        const at = 60 * i, f = (k) => table.readFloatLE(at + 4 * k);
        const pivot = { name: name(table, at, 16, problems), parent: table.readInt32LE(at + 16), t: [f(5), f(6), f(7)], q: [f(11), f(12), f(13), f(14)] };
        if ((pivot.parent === -1) !== (i === 0)) problems.push(`pivot ${i} has parent ${pivot.parent}`);
        if (pivot.parent >= i) problems.push(`pivot ${i} comes before its parent`);
        if (Math.abs(Math.hypot(...pivot.q) - 1) > 1e-4) problems.push(`pivot ${i} is scaled`);
        pivots.push(pivot);
    }
    if (pivots[0]?.name !== 'ROOTTRANSFORM') problems.push('pivot 0 is not ROOTTRANSFORM');
    if (new Set(pivots.map((pivot) => pivot.name.toLowerCase())).size !== count) problems.push('names of pivots repeat');
    return { name: name(header, 4, 16, problems), pivots };
}

function readMaterials(chunk, mesh, problems) {
    const info = words(one(chunk, 0x28)), shaders = one(chunk, 0x29)?.bytes ?? Buffer.alloc(0), passes = all(chunk, 0x38);
    const materials = one(chunk, 0x2a)?.children ?? [], textures = one(chunk, 0x30)?.children ?? [], effects = one(chunk, 0x50)?.children ?? [];
    if (!info) problems.push('no MATERIAL_INFO');
    else if (info[0] !== passes.length || info[1] !== materials.length || info[2] !== shaders.length / 16 || info[3] !== textures.length)
        problems.push(`MATERIAL_INFO says ${info}`);
    if (passes.length < 1 || passes.length > 4) problems.push(`${passes.length} passes`);
    mesh.textures = textures.map((texture) => text(one(texture, 0x32)));
    mesh.effects = effects.map((effect) => effect.children[0].bytes.toString('latin1', 1, 33).split('\0')[0]);
    for (const effect of effects)
        for (const property of all(effect, 0x53)) {
            const length = property.bytes.readUInt32LE(4), type = property.bytes.readUInt32LE(0), rest = property.bytes.length - 8 - length;
            const wanted = { 1: 4 + (type === 1 ? property.bytes.readUInt32LE(8 + length) : 0), 2: 4, 3: 8, 4: 12, 5: 16, 6: 4, 7: 1 }[type];
            if (rest !== wanted) problems.push(`a property of type ${type} has ${rest} bytes`);
            if (type === 1) mesh.textures.push(property.bytes.toString('utf8', 12 + length, property.bytes.length - 1));
        }
    mesh.firstShader = shaders.subarray(0, 16);
    mesh.passCount = passes.length;
    for (const pass of passes) {
        const stages = all(pass, 0x48), ids = (id, limit) => {
            const found = words(one(pass, id));
            if (found && found.some((value) => value >= limit)) problems.push(`an id of ${id.toString(16)} is not below ${limit}`);
        };
        ids(0x39, materials.length), ids(0x3a, shaders.length / 16), ids(0x3f, effects.length);
        if (stages.length > 2) problems.push(`${stages.length} stages`);
        for (const stage of stages) if (words(one(stage, 0x49)).some((value) => value >= textures.length)) problems.push('a texture id is too large');
        for (const uvs of [...stages.map((stage) => one(stage, 0x4a)), one(pass, 0x4a)])
            if (uvs && uvs.bytes.length !== 8 * mesh.vertexCount) problems.push('not one texture coordinate per vertex');
        mesh.uvs ??= floats(one(stages[0] ?? pass, 0x4a));
        const colors = one(pass, 0x3b);
        if (colors && colors.bytes.length !== 4 * mesh.vertexCount) problems.push('not one colour per vertex');
    }
}

function readMesh(chunk, problems) {
    const header = one(chunk, 0x1f).bytes, f = (at) => header.readFloatLE(at);
    const mesh = { attributes: header.readUInt32LE(4), name: name(header, 8, 16, problems), container: name(header, 24, 16, problems),
        faceCount: header.readUInt32LE(40), vertexCount: header.readUInt32LE(44), box: [[f(76), f(80), f(84)], [f(88), f(92), f(96)]] };
    if (header.length !== 116 || header.readUInt32LE(0) !== 0x40002) problems.push('mesh is not version 4.2');
    if (mesh.vertexCount > 65535) problems.push(`${mesh.vertexCount} vertices`);
    if (`${mesh.container}.${mesh.name}`.length > 31) problems.push('Container.Mesh is too long');
    mesh.places = floats(one(chunk, 0x2)), mesh.places2 = floats(one(chunk, 0xc00));
    mesh.tangents = one(chunk, 0x60), mesh.bitangents = one(chunk, 0x61);
    for (const id of [0x2, 0x3, ...[0xc00, 0xc01, 0x60, 0x61].filter((id) => one(chunk, id))])
        if (one(chunk, id)?.bytes.length !== 12 * mesh.vertexCount) problems.push(`chunk ${id.toString(16)} is not one vector per vertex`);
    const triangles = one(chunk, 0x20).bytes, shades = words(one(chunk, 0x22));
    if (triangles.length !== 32 * mesh.faceCount) problems.push('triangles do not fill their chunk');
    mesh.corners = [];
    for (let i = 0; i < mesh.faceCount; i++) for (let k = 0; k < 3; k++) mesh.corners.push(triangles.readUInt32LE(32 * i + 4 * k));
    if (mesh.corners.some((corner) => corner >= mesh.vertexCount)) problems.push('a triangle has a vertex too many');
    if (shades?.length !== mesh.vertexCount || shades.some((shade, i) => shade > i)) problems.push('VERTEX_SHADE_INDICES are wrong');
    const influences = one(chunk, 0xe)?.bytes;
    mesh.isSkin = (mesh.attributes & 0xff0000) === 0x20000;
    if (mesh.isSkin !== !!influences) problems.push('a skin without influences, or the other way round');
    if (influences && influences.length !== 8 * mesh.vertexCount) problems.push('not one influence per vertex');
    mesh.influences = influences && Array.from({ length: mesh.vertexCount }, (_, i) => [0, 2, 4, 6].map((k) => influences.readUInt16LE(8 * i + k)));
    readMaterials(chunk, mesh, problems);
    return mesh;
}

function readAnimation(chunk, problems) {
    const isRaw = chunk.id === 0x200, header = chunk.children[0].bytes;
    const animation = { name: name(header, 4, 16, problems), hierarchy: name(header, 20, 16, problems), frames: header.readUInt32LE(36),
        rate: isRaw ? header.readUInt32LE(40) : header.readUInt16LE(40), flavor: isRaw ? null : header.readUInt16LE(42), channels: [] };
    if (header.length !== 44 || header.readUInt32LE(0) !== (isRaw ? 0x40001 : 1)) problems.push('animation has another version');
    for (const { id, bytes } of chunk.children.slice(1)) {
        const channel = { values: [], keys: [] };
        if (id === 0x202) {
            const [first, last, width, type, pivot] = [0, 2, 4, 6, 8].map((at) => bytes.readUInt16LE(at));
            Object.assign(channel, { type, pivot, width });
            if (first !== 0 || last !== animation.frames - 1 || bytes.length !== 12 + 4 * width * animation.frames) problems.push('a raw channel does not have every frame');
            for (let i = 0; i < width * animation.frames; i++) channel.values.push(bytes.readFloatLE(12 + 4 * i));
        } else if (id === 0x203) {
            Object.assign(channel, { type: 'shown', pivot: bytes.readUInt16LE(6), fallback: bytes[8] });
            for (let i = 0; i < animation.frames; i++) channel.values.push(bytes[9 + (i >> 3)] >> (i & 7) & 1);
            if (bytes.readUInt16LE(4) !== 0 || bytes[8] !== 1 || bytes.length !== 9 + Math.ceil(animation.frames / 8)) problems.push('a bit channel is wrong');
        } else if (id === 0x282 && animation.flavor === 0) {
            const count = bytes.readUInt32LE(0), width = bytes[6];
            Object.assign(channel, { pivot: bytes.readUInt16LE(4), width, type: bytes[7] });
            if (bytes.length !== 8 + count * (4 + 4 * width)) problems.push('keys do not fill a channel');
            for (let i = 0; i < count; i++) channel.keys.push(bytes.readUInt32LE(8 + i * (4 + 4 * width)) & 0x7fffffff);
            if (channel.keys[0] !== 0 || channel.keys.some((key, i) => i > 0 && key <= channel.keys[i - 1]) || channel.keys.at(-1) >= animation.frames) problems.push('keys do not rise');
        } else if (id === 0x282) {
            Object.assign(channel, { pivot: bytes.readUInt16LE(4), width: bytes[6], type: bytes[7] });
            const blocks = (animation.frames + 15) >> 4;
            if (bytes.readUInt32LE(0) !== animation.frames || bytes.length !== 12 + 4 * bytes[6] + 9 * blocks * bytes[6] + 3) problems.push('an adaptive channel has another size');
        } else if (id === 0x283) Object.assign(channel, { type: 'shown', pivot: bytes.readUInt16LE(4) });
        else problems.push(`an animation holds chunk ${id.toString(16)}`);
        if (channel.type !== 'shown' && ![0, 1, 2, 6, 15].includes(channel.type)) problems.push(`a channel of type ${channel.type}`);
        if (channel.width && channel.width !== (channel.type === 6 ? 4 : 1)) problems.push(`type ${channel.type} has ${channel.width} numbers`);
        animation.channels.push(channel);
    }
    return animation;
}

function readHlod(chunk, problems) {
    const header = chunk.children[0].bytes, count = header.readUInt32LE(4);
    const hlod = { name: name(header, 8, 16, problems), hierarchy: name(header, 24, 16, problems), levels: [] };
    if (header.length !== 40 || header.readUInt32LE(0) !== 0x10000) problems.push('HLOD is not version 1.0');
    if (chunk.children.slice(1, 1 + count).some((child) => child.id !== 0x702) || all(chunk, 0x702).length !== count)
        problems.push('the arrays of the HLOD do not follow its header');
    let last = 0;
    for (const array of all(chunk, 0x702)) {
        const size = array.children[0].bytes.readFloatLE(4), objects = all(array, 0x704).map(({ bytes }) => ({ bone: bytes.readUInt32LE(0), name: name(bytes, 4, 32, problems) }));
        if (array.children[0].id !== 0x703 || array.children[0].bytes.readUInt32LE(0) !== objects.length) problems.push('an array has another number of objects');
        if (!(size > last)) problems.push('levels are not coarse to fine');
        last = size;
        hlod.levels.push(objects);
    }
    if (Math.abs(last / FLT_MAX - 1) > 1e-6) problems.push('the finest level is not drawn at all sizes');
    return hlod;
}

export function readW3d(bytes, problems) {
    const file = { hierarchies: [], meshes: [], animations: [], hlods: [], others: [] };
    for (const chunk of readChunks(bytes, problems)) {
        if (chunk.id === 0) file.meshes.push(readMesh(chunk, problems));
        else if (chunk.id === 0x100) file.hierarchies.push(readHierarchy(chunk, problems));
        else if (chunk.id === 0x200 || chunk.id === 0x280) file.animations.push(readAnimation(chunk, problems));
        else if (chunk.id === 0x700) file.hlods.push(readHlod(chunk, problems));
        else if (chunk.id === 0x740) file.others.push(name(chunk.bytes, 8, 32, problems));
        else if (chunk.id === 0x750) file.others.push(name(chunk.bytes, 16, 32, problems));
        else if (chunk.id === 0x900) file.others.push(text(chunk.children[0]));
    }
    return file;
}

// Where each pivot is at a frame of a raw animation; none: in the base pose.
export function posePivots(pivots, animation, frame) {
    const moved = pivots.map(() => ({ t: [0, 0, 0], q: [0, 0, 0, 1] })), worlds = [];
    for (const channel of animation?.channels ?? []) {
        if (channel.type === 6) moved[channel.pivot].q = channel.values.slice(4 * frame, 4 * frame + 4);
        else if (channel.type <= 2) moved[channel.pivot].t[channel.type] = channel.values[frame];
    }
    pivots.forEach((pivot, i) => {
        const local = times({ t: pivot.t, q: pivot.q }, moved[i]);
        worlds.push(i === 0 ? { t: [0, 0, 0], q: [0, 0, 0, 1] } : times(worlds[pivot.parent], local));
    });
    return worlds;
}

// The vertices of a mesh on its bone; skins have their own.
export function poseMesh(mesh, worlds, bone) {
    const out = [];
    for (let i = 0; i < mesh.vertexCount; i++) {
        const v = mesh.places.slice(3 * i, 3 * i + 3);
        if (!mesh.isSkin) { out.push(...place(worlds[bone], v)); continue; }
        const [a, b, first, second] = mesh.influences[i], at = place(worlds[a], v);
        if (!mesh.places2 || second === 0) { out.push(...at); continue; }
        const other = place(worlds[b], mesh.places2.slice(3 * i, 3 * i + 3)), sum = first + second;
        out.push(...at.map((value, k) => (value * first + other[k] * second) / sum));
    }
    return out;
}
