// Warcraft III models (MDX, versions 800 to 1200), read strictly and posed by the format's own mathematics: every size adds up and every
// byte is accounted for. checkMdx lists what the games do not accept.
import { boxOf, conjugate, Cursor, forEachUntilEnd, IDENTITY, mix, multiply, must, normalize, rotation, scaling, slerp, transform, translation, turn } from './reading.mjs';

const float = (c) => [c.f32()], word = (c) => [c.u32()], vector = (c) => c.f32s(3), quaternion = (c) => c.f32s(4);
const named = (read, tags) => tags.split(' ').map((tag) => [tag, read]);
const TRACKS = new Map([
    ...named(vector, 'KGTR KGSC KFC3 KTAT KTAS KGAC KLAC KLBC KPPC KRCO KCTR KTTR'),
    ...named(quaternion, 'KGRT KTAR'), ...named(word, 'KMTF KRTX'),
    ...named(float, 'KMTA KMTE KFCA KFTC KGAO KLAS KLAE KLAI KLBI KLAV KATV KPEE KPEG KPLN KPLT KPEL KPES KPEV KP2S KP2R KP2L KP2G KP2E KP2N KP2W KP2V'),
    ...named(float, 'KPPA KPPE KPPL KPPS KPPV KRHA KRHB KRAL KRVS KCRL')]);
const VISIBILITY = ['KLAV', 'KATV', 'KPEV', 'KP2V', 'KRVS', 'KPPV'];
const STEPPED = [...VISIBILITY, 'KMTF', 'KRTX'];

function readTrack(cursor, allowed) {
    const tag = cursor.tag(), read = TRACKS.get(tag);
    must(read && allowed.includes(tag), `track ${tag} is not one of ${allowed}`);
    const count = cursor.u32(), interpolation = cursor.u32(), global = cursor.i32();
    must(interpolation <= 3, `${tag} has interpolation ${interpolation}`);
    must(count <= cursor.left / 8, `${tag} has ${count} keys`);
    const keys = cursor.many(count, () => {
        const key = { time: cursor.i32(), value: read(cursor) };
        return interpolation > 1 ? { ...key, in: read(cursor), out: read(cursor) } : key;
    });
    return { tag, interpolation, global, keys };
}

function readTracks(cursor, allowed) {
    const tracks = {};
    for (const track of forEachUntilEnd(cursor, () => readTrack(cursor, allowed.split(' ')))) {
        must(!tracks[track.tag], `${track.tag} twice`);
        tracks[track.tag] = track;
    }
    return tracks;
}

// What begins with its own size.
function sized(cursor) {
    const size = cursor.u32();
    must(size >= 4, `an element of ${size} bytes`);
    return cursor.window(size - 4);
}

const readExtent = (c) => ({ radius: c.f32(), low: c.f32s(3), high: c.f32s(3) });

function readNode(cursor, kind) {
    const c = sized(cursor);
    return { kind, name: c.text(80), id: c.i32(), parent: c.i32(), flags: c.u32(), tracks: readTracks(c, 'KGTR KGRT KGSC') };
}

function readLayer(cursor, version) {
    const c = sized(cursor);
    const layer = { filter: c.u32(), flags: c.u32(), texture: c.i32(), textureAnim: c.i32(), coordinates: c.i32(), alpha: c.f32() };
    if (version >= 900) layer.emissive = c.f32();
    if (version >= 1000) Object.assign(layer, { fresnel: c.f32s(3), fresnelOpacity: c.f32(), fresnelTeam: c.f32() });
    if (version >= 1100) {
        layer.isHd = c.u32();
        layer.slots = c.many(c.u32(), () => {
            const slot = { texture: c.i32(), slot: c.u32() };
            if (c.peekTag() === 'KMTF') slot.track = readTrack(c, ['KMTF']);
            return slot;
        });
    }
    layer.tracks = readTracks(c, `KMTA${version < 1100 ? ' KMTF' : ''}${version >= 900 ? ' KMTE' : ''}${version >= 1000 ? ' KFC3 KFCA KFTC' : ''}`);
    return layer;
}

function readMaterial(cursor, version) {
    const c = sized(cursor), material = { priority: c.i32(), flags: c.u32() };
    if (version === 900 || version === 1000) material.shader = c.text(80);
    must(c.tag() === 'LAYS', 'a material without LAYS');
    material.layers = c.many(c.u32(), () => readLayer(c, version));
    c.end('a material');
    return material;
}

function readGeoset(cursor, version) {
    const c = sized(cursor), geoset = {};
    const list = (tag, read) => {
        const found = c.tag();
        must(found === tag, `${found}, not ${tag}`);
        const count = c.u32();
        must(count <= c.left, `${tag} of ${count}`);
        return c.many(count, () => read(c));
    };
    geoset.vertices = list('VRTX', vector);
    geoset.normals = list('NRMS', vector);
    geoset.primitives = list('PTYP', (x) => x.u32());
    geoset.primitiveSizes = list('PCNT', (x) => x.u32());
    geoset.indices = list('PVTX', (x) => x.u16());
    geoset.groupOfVertex = list('GNDX', (x) => x.u8());
    geoset.groupSizes = list('MTGC', (x) => x.u32());
    geoset.groupNodes = list('MATS', (x) => x.u32());
    Object.assign(geoset, { material: c.u32(), selectionGroup: c.u32(), selectionFlags: c.u32() });
    if (version >= 900) Object.assign(geoset, { lod: c.i32(), lodName: c.text(80) });
    geoset.extent = readExtent(c);
    geoset.extents = c.many(c.u32(), () => readExtent(c));
    while (c.peekTag() !== 'UVAS') {
        const tag = c.peekTag();
        must(version >= 900 && (tag === 'TANG' || tag === 'SKIN'), `${tag} in a geoset`);
        if (tag === 'TANG') geoset.tangents = list('TANG', quaternion);
        else geoset.skin = list('SKIN', (x) => x.u8());
    }
    c.tag();
    geoset.uvs = c.many(c.u32(), () => list('UVBS', (x) => x.f32s(2)));
    c.end('a geoset');
    return geoset;
}

const PARTICLE_SIZE = 171;

// Elements of the chunks, in the order in which a model gets them.
const OBJECTS = {
    BONE: (c) => Object.assign(readNode(c, 'BONE'), { geoset: c.i32(), geosetAnim: c.i32() }),
    HELP: (c) => readNode(c, 'HELP'),
    LITE: (cursor, version) => {
        const c = sized(cursor), light = readNode(c, 'LITE');
        Object.assign(light, { type: c.u32(), start: c.f32(), end: c.f32(), color: c.f32s(3), intensity: c.f32(), ambient: c.f32s(3), ambientIntensity: c.f32() });
        if (version >= 1200) light.shadow = c.f32();
        return Object.assign(light, { own: readTracks(c, 'KLAS KLAE KLAC KLAI KLBI KLBC KLAV') });
    },
    ATCH: (cursor) => {
        const c = sized(cursor);
        return Object.assign(readNode(c, 'ATCH'), { path: c.text(260), attachment: c.i32(), own: readTracks(c, 'KATV') });
    },
    PREM: (cursor) => {
        const c = sized(cursor);
        return Object.assign(readNode(c, 'PREM'), { values: c.f32s(4), path: c.text(260), life: c.f32(), speed: c.f32(), own: readTracks(c, 'KPEE KPEG KPLN KPLT KPEL KPES KPEV') });
    },
    PRE2: (cursor) => {
        const c = sized(cursor), emitter = readNode(c, 'PRE2'), fields = c.raw(PARTICLE_SIZE);
        Object.assign(emitter, { filter: fields.readUInt32LE(32), rows: fields.readUInt32LE(36), columns: fields.readUInt32LE(40), texture: fields.readInt32LE(155), replaceable: fields.readUInt32LE(167) });
        return Object.assign(emitter, { own: readTracks(c, 'KP2S KP2R KP2L KP2G KP2E KP2N KP2W KP2V') });
    },
    CORN: (cursor) => {
        const c = sized(cursor);
        return Object.assign(readNode(c, 'CORN'), { values: c.f32s(7), replaceable: c.u32(), path: c.text(260), guide: c.text(260), own: readTracks(c, 'KPPA KPPC KPPE KPPL KPPS KPPV') });
    },
    RIBB: (cursor) => {
        const c = sized(cursor), ribbon = Object.assign(readNode(c, 'RIBB'), { values: c.f32s(7), slot: c.u32(), rate: c.u32(), rows: c.u32(), columns: c.u32(), material: c.i32(), gravity: c.f32() });
        return Object.assign(ribbon, { own: readTracks(c, 'KRHA KRHB KRAL KRCO KRTX KRVS') });
    },
    EVTS: (c) => {
        const event = readNode(c, 'EVTS');
        if (c.peekTag() !== 'KEVT') return event;
        c.tag();
        const count = c.u32();
        return Object.assign(event, { global: c.i32(), times: c.many(count, () => c.i32()) });
    },
    CLID: (c) => {
        const shape = Object.assign(readNode(c, 'CLID'), { type: c.u32() });
        must(shape.type === 0 || shape.type === 2, `collision shape of type ${shape.type}`);
        return Object.assign(shape, shape.type === 0 ? { points: [c.f32s(3), c.f32s(3)] } : { points: [c.f32s(3)], radius: c.f32() });
    },
};

const readCamera = (cursor) => {
    const c = sized(cursor);
    return { name: c.text(80), position: c.f32s(3), field: c.f32(), far: c.f32(), near: c.f32(), target: c.f32s(3), tracks: readTracks(c, 'KCTR KTTR KCRL') };
};

const readSequence = (c) => ({ name: c.text(80), start: c.u32(), end: c.u32(), speed: c.f32(), flags: c.u32(), rarity: c.f32(), sync: c.u32(), extent: readExtent(c) });

function readGeosetAnim(cursor) {
    const c = sized(cursor);
    return { alpha: c.f32(), flags: c.u32(), color: c.f32s(3), geoset: c.i32(), tracks: readTracks(c, 'KGAO KGAC') };
}

const ELEMENTS = {
    SEQS: ['sequences', readSequence], GLBS: ['globals', (c) => c.u32()], MTLS: ['materials', readMaterial],
    TEXS: ['textures', (c) => ({ replaceable: c.u32(), path: c.text(260), flags: c.u32() })],
    TXAN: ['textureAnims', (c) => readTracks(sized(c), 'KTAT KTAR KTAS')], GEOS: ['geosets', readGeoset], GEOA: ['geosetAnims', readGeosetAnim],
    PIVT: ['pivots', vector], CAMS: ['cameras', readCamera], FAFX: ['faces', (c) => ({ name: c.text(80), path: c.text(260) })],
};

// Chunks that are not known are skipped and listed in `unknown`.
export function readMdx(bytes) {
    const file = new Cursor(bytes), model = { unknown: [], nodes: [] };
    must(file.tag() === 'MDLX', 'not an MDX file');
    for (const [name] of Object.values(ELEMENTS)) model[name] = [];
    const seen = new Set();
    while (file.left > 0) {
        const tag = file.tag(), c = file.window(file.u32());
        must(!seen.has(tag), `${tag} twice`);
        must(model.version || tag === 'VERS', `${tag} before VERS`);
        seen.add(tag);
        if (tag === 'VERS') {
            model.version = c.u32();
            must([800, 900, 1000, 1100, 1200].includes(model.version), `version ${model.version}`);
        } else if (tag === 'MODL') Object.assign(model, { name: c.text(80), animationFile: c.text(260), extent: readExtent(c), blend: c.u32() });
        else if (tag === 'BPOS') model.bind = c.many(c.u32(), () => c.f32s(12));
        else if (ELEMENTS[tag]) model[ELEMENTS[tag][0]] = forEachUntilEnd(c, () => ELEMENTS[tag][1](c, model.version));
        else if (OBJECTS[tag]) model.nodes.push(...forEachUntilEnd(c, () => OBJECTS[tag](c, model.version)));
        else model.unknown.push(tag, c.raw(c.left));
        c.end(tag);
    }
    model.byId = new Map(model.nodes.filter(({ id }) => id >= 0).map((node) => [node.id, node]));
    return model;
}

// The value of a track; `clock` is the time since the model was made, in milliseconds. Keys outside a sequence do not count in it.
export function sample(model, track, sequence, time, clock, fallback) {
    if (!track) return fallback;
    const length = model.globals[track.global], isGlobal = length !== undefined;
    const [start, end, t] = isGlobal ? [0, length, length > 0 ? clock % length : 0] : [sequence.start, sequence.end, time];
    const sorted = track.keys.map((key, i) => ({ ...key, i })).sort((a, b) => a.time - b.time || a.i - b.i);
    const keys = sorted.filter((key) => key.time >= start && key.time <= end);
    if (keys.length === 0) return isGlobal && sorted.length ? sorted[0].value : fallback;
    if (keys.length === 1) return keys[0].value;
    const first = keys[0], last = keys.at(-1);
    let from = last, to = first, u = 0;
    if (t < first.time || t >= last.time) {
        const gap = end - start - (last.time - first.time);
        u = gap <= 0 ? 0 : (t - (t < first.time ? first : last).time) / gap;         // before the first key as the game does it
    } else {
        const i = keys.findLastIndex((key) => key.time <= t);
        [from, to] = [keys[i], keys[i + 1]];
        u = (t - from.time) / (to.time - from.time);
    }
    const [a, d, b, c] = [from.value, to.value, from.out, to.in];
    if (track.interpolation === 0 || STEPPED.includes(track.tag)) return a;
    if (a.length === 4) return normalize(track.interpolation === 1 ? slerp(a, d, u) : slerp(slerp(a, d, u), slerp(b, c, u), 2 * u * (1 - u)));
    if (track.interpolation === 1) return mix(a, d, u);
    const v = 1 - u, weights = track.interpolation === 2 ? [2 * u ** 3 - 3 * u ** 2 + 1, u ** 3 - 2 * u ** 2 + u, u ** 3 - u ** 2, 3 * u ** 2 - 2 * u ** 3] : [v ** 3, 3 * u * v * v, 3 * u * u * v, u ** 3];
    return a.map((_, i) => weights[0] * a[i] + weights[1] * b[i] + weights[2] * c[i] + weights[3] * d[i]);
}

const BILLBOARDED = 0x78, CAMERA_ANCHORED = 0x80;

// What each node does to what is at rest, by id: { world, place, isTurned }. `isTurned`: it or a node above it faces the camera.
export function poseNodes(model, sequence, time, clock = time - sequence.start) {
    const posed = new Map();
    const pose = (id, above) => {
        if (posed.has(id)) return posed.get(id);
        const node = model.byId.get(id), pivot = model.pivots[id] ?? [0, 0, 0];
        const parent = model.byId.has(node.parent) && ![...above, id].includes(node.parent) ? pose(node.parent, [...above, id]) : { world: IDENTITY, turn: [0, 0, 0, 1], scale: [1, 1, 1], isTurned: false };
        const value = (tag, fallback) => sample(model, node.tracks[tag], sequence, time, clock, fallback);
        const move = value('KGTR', [0, 0, 0]);
        let q = normalize(value('KGRT', [0, 0, 0, 1])), scale = value('KGSC', [1, 1, 1]);
        if (node.flags & 2) scale = scale.map((s, k) => s / parent.scale[k]);
        if (node.flags & 4) q = turn(conjugate(parent.turn), q);
        const world = multiply(parent.world, translation(move), translation(pivot), rotation(q), scaling(scale), translation(pivot.map((v) => -v)));
        if (node.flags & 1) {
            const at = transform(world, pivot);
            for (let k = 0; k < 3; k++) world[12 + k] += pivot[k] + move[k] - at[k];
        }
        const result = { world, place: multiply(world, translation(pivot)), turn: turn(parent.turn, q), scale: scale.map((s, k) => s * parent.scale[k]),
            isTurned: parent.isTurned || (node.flags & (BILLBOARDED | CAMERA_ANCHORED)) !== 0 };
        posed.set(id, result);
        return result;
    };
    for (const id of model.byId.keys()) pose(id, []);
    return posed;
}

// Node ids and weights of each vertex.
export function influencesOf(geoset) {
    const offsets = [0];
    for (const size of geoset.groupSizes) offsets.push(offsets.at(-1) + size);
    return geoset.vertices.map((_, i) => {
        if (!geoset.skin) {
            const group = geoset.groupOfVertex[i], nodes = geoset.groupNodes.slice(offsets[group], offsets[group + 1]);
            return nodes.map((node) => [node, 1 / nodes.length]);
        }
        const bytes = geoset.skin.slice(8 * i, 8 * i + 8), sum = bytes[4] + bytes[5] + bytes[6] + bytes[7];
        return [0, 1, 2, 3].filter((k) => bytes[4 + k] > 0).map((k) => [bytes[k], bytes[4 + k] / sum]);
    });
}

// Geosets in one pose: { positions, isVisible, isTurned }.
export function poseGeosets(model, sequence, time, clock) {
    const nodes = poseNodes(model, sequence, time, clock);
    return model.geosets.map((geoset, index) => {
        geoset.influences ??= influencesOf(geoset);
        const anim = model.geosetAnims.findLast((one) => one.geoset === index);
        const [alpha] = anim ? sample(model, anim.tracks.KGAO, sequence, time, clock ?? time - sequence.start, anim.tracks.KGAO ? [1] : [anim.alpha]) : [1];
        const positions = geoset.vertices.map((vertex, i) => {
            if (geoset.influences[i].length === 0) return vertex;
            const sum = [0, 0, 0];
            for (const [id, weight] of geoset.influences[i]) {
                const world = nodes.get(id)?.world ?? IDENTITY, p = transform(world, vertex);
                for (let k = 0; k < 3; k++) sum[k] += weight * p[k];
            }
            return sum;
        });
        const isTurned = geoset.influences.some((all) => all.some(([id]) => nodes.get(id)?.isTurned));
        return { positions, isVisible: alpha > 0 && (geoset.lod ?? 0) <= 0, isTurned };        // other levels are not shown
    });
}

function* allTracks(model) {
    for (const node of model.nodes) {
        for (const track of Object.values(node.tracks)) yield [node.name, track];
        for (const track of Object.values(node.own ?? {})) yield [node.name, track];
    }
    for (const [i, material] of model.materials.entries())
        for (const layer of material.layers) {
            for (const track of Object.values(layer.tracks)) yield [`material ${i}`, track];
            for (const slot of layer.slots ?? []) if (slot.track) yield [`material ${i}`, slot.track];
        }
    for (const [i, anim] of model.geosetAnims.entries()) for (const track of Object.values(anim.tracks)) yield [`geoset animation ${i}`, track];
    for (const [i, tracks] of model.textureAnims.entries()) for (const track of Object.values(tracks)) yield [`texture animation ${i}`, track];
    for (const camera of model.cameras) for (const track of Object.values(camera.tracks)) yield [camera.name, track];
}

const MOST_CLASSIC_VERTICES = 7433, EXTENT_PLACES = [0, 0.25, 0.5, 0.75, 1];

function checkNodes(model, say) {
    const bones = model.nodes.filter((node) => node.kind === 'BONE').length;
    const ids = model.nodes.map((node) => node.id).sort((a, b) => a - b);
    if (ids.some((id, i) => id !== i)) say('ids of objects are not 0..n-1');
    if (model.pivots.length !== model.nodes.length) say(`${model.pivots.length} pivots of ${model.nodes.length} objects`);
    for (const node of model.nodes) {
        if ((node.kind === 'BONE') !== (node.id < bones)) say(`${node.name}: bones do not come first`);
        if (node.parent !== -1 && !model.byId.has(node.parent)) say(`${node.name}: its parent ${node.parent} is not there`);
        for (let up = node.parent, steps = 0; up !== -1 && model.byId.has(up); up = model.byId.get(up).parent)
            if (++steps > model.nodes.length) { say(`${node.name} is below itself`); break; }
        if (node.kind === 'BONE' && (node.geoset < -1 || node.geoset >= model.geosets.length)) say(`${node.name} names geoset ${node.geoset}`);
        if (node.kind === 'BONE' && (node.geosetAnim < -1 || node.geosetAnim >= model.geosetAnims.length)) say(`${node.name} names geoset animation ${node.geosetAnim}`);
        if (node.kind === 'EVTS' && !/^(SND|SPL|FPT|UBR|SPN).{5}$/.test(node.name)) say(`event ${node.name}`);
        if (node.kind === 'EVTS' && !node.times?.length) say(`event ${node.name} has no time`);
        if (node.kind === 'PRE2' && [node.rows, node.columns].some((n) => n === 0 || n & (n - 1))) say(`${node.name}: ${node.rows} rows, ${node.columns} columns`);
        if (node.kind === 'PRE2' && (node.texture < 0 || node.texture >= model.textures.length)) say(`${node.name} names texture ${node.texture}`);
        if (node.kind === 'RIBB' && (node.material < 0 || node.material >= model.materials.length)) say(`${node.name} names material ${node.material}`);
    }
    return bones;
}

function checkMaterials(model, say) {
    for (const { path, replaceable } of model.textures) {
        if (replaceable === 0 && !/\.(blp|tga|tif|dds)$/i.test(path)) say(`texture "${path}"`);
        if (replaceable !== 0 && (path !== '' || ![1, 2, 11, 21, 31, 32, 33, 34, 35, 36, 37].includes(replaceable))) say(`texture "${path}" replaces ${replaceable}`);
    }
    const isTexture = (id) => id >= 0 && id < model.textures.length;
    model.materials.forEach((material, i) => {
        if (material.layers.length === 0) say(`material ${i} has no layer`);
        for (const layer of material.layers) {
            if (layer.filter > 6) say(`filter ${layer.filter}`);
            if (layer.textureAnim < -1 || layer.textureAnim >= model.textureAnims.length) say(`texture animation ${layer.textureAnim}`);
            if (model.version < 1100 && !isTexture(layer.texture)) say(`material ${i} names texture ${layer.texture}`);
            if (model.version >= 1100 && (layer.slots.length === 0 || layer.slots.some((slot, k) => !isTexture(slot.texture) || (!slot.track && slot.slot !== k)))) say(`slots of material ${i}`);
            if (model.version >= 1100 && (layer.isHd > 1 || layer.slots.length !== (layer.isHd ? 6 : 1))) say(`${layer.slots.length} slots in material ${i}`);
            for (const key of [...(layer.tracks.KMTF?.keys ?? []), ...(layer.slots ?? []).flatMap((slot) => slot.track?.keys ?? [])])
                if (!isTexture(key.value[0])) say(`a key of material ${i} names texture ${key.value[0]}`);
        }
    });
    model.geosetAnims.forEach((anim) => { if (anim.geoset < 0 || anim.geoset >= model.geosets.length) say(`a geoset animation of ${anim.geoset}`); });
}

function checkGeoset(model, geoset, name, bones, say) {
    const count = geoset.vertices.length, total = geoset.groupSizes.reduce((a, b) => a + b, 0);
    if (count === 0 || geoset.normals.length !== count || geoset.uvs.length === 0 || geoset.uvs.some((set) => set.length !== count)) say(`${name}: attributes differ in number`);
    if (geoset.primitives.some((type) => type !== 4) || geoset.primitives.length !== geoset.primitiveSizes.length) say(`${name} has other faces than triangles`);
    if (geoset.primitiveSizes.reduce((a, b) => a + b, 0) !== geoset.indices.length || geoset.indices.length % 3) say(`${name}: numbers of indices differ`);
    if (geoset.indices.some((index) => index >= count)) say(`${name}: an index beyond its vertices`);
    if (geoset.material >= model.materials.length) say(`${name} names material ${geoset.material}`);
    if (total !== geoset.groupNodes.length) say(`${name}: groups of ${total} nodes, ${geoset.groupNodes.length} are there`);
    if (geoset.groupNodes.some((id) => id >= bones)) say(`${name} hangs on what is no bone`);
    if (geoset.groupSizes.length > 255) say(`${name} has ${geoset.groupSizes.length} groups`);
    if (geoset.normals.some((n) => Math.abs(Math.hypot(...n) - 1) > 1e-3)) say(`${name}: normals are not of length 1`);
    if (!geoset.skin && (geoset.groupOfVertex.length !== count || geoset.groupOfVertex.some((group) => !geoset.groupSizes[group]))) say(`${name}: a vertex without a group`);
    if (model.version === 800 && count > MOST_CLASSIC_VERTICES) say(`${name} has ${count} vertices`);
    if (model.version === 800) return;
    if (geoset.skin?.length !== 8 * count) return say(`${name}: SKIN of ${geoset.skin?.length} bytes`);
    for (let i = 0; i < count; i++) {
        const [b0, b1, b2, b3, ...weights] = geoset.skin.slice(8 * i, 8 * i + 8);
        if (weights.reduce((a, b) => a + b, 0) !== 255) say(`${name}: weights of a vertex are ${weights}`);
        if ([b0, b1, b2, b3].some((bone) => bone >= bones)) say(`${name}: a vertex on what is no bone`);
    }
    const isMapped = geoset.uvs[0]?.some((uv) => uv.some((v, k) => v !== geoset.uvs[0][0][k]));        // no tangents without coordinates
    if (isMapped && geoset.tangents?.length !== count) say(`${name}: TANG of ${geoset.tangents?.length}`);
    else if (geoset.tangents?.some((t) => Math.abs(Math.hypot(t[0], t[1], t[2]) - 1) > 1e-3 || Math.abs(t[3]) !== 1)) say(`${name}: a tangent is not of length 1`);
}

// The extent of each geoset in a sequence holds what is posed in it, and is within the extent of the sequence.
function checkExtents(model, say) {
    model.sequences.forEach((sequence, s) => {
        const places = new Set(EXTENT_PLACES.map((u) => sequence.start + u * (sequence.end - sequence.start)));
        for (const node of model.nodes)
            for (const track of Object.values(node.tracks))
                for (const { time } of track.keys) if (track.global < 0 && time >= sequence.start && time <= sequence.end) places.add(time);
        const times = [...places], step = Math.max(1, Math.ceil(times.length / 24)), posed = model.geosets.map(() => []);
        for (let i = 0; i < times.length; i += step) poseGeosets(model, sequence, times[i]).forEach((one, g) => { if (!one.isTurned && one.isVisible) posed[g].push(...one.positions); });
        posed.forEach((points, g) => {
            if (points.length === 0) return;
            const { low, high } = model.geosets[g].extents[s] ?? {}, box = boxOf(points), slack = 1e-2 * box.size;       // found at sampled times
            if (!low) return say(`geoset ${g} has no extent in ${sequence.name}`);
            if (low.some((v, k) => v > box.low[k] + slack) || high.some((v, k) => v < box.high[k] - slack)) say(`geoset ${g} leaves its extent in ${sequence.name}`);
            if (low.some((v, k) => v < sequence.extent.low[k] - slack) || high.some((v, k) => v > sequence.extent.high[k] + slack)) say(`geoset ${g} leaves the extent of ${sequence.name}`);
        });
    });
}

// All that Warcraft III or Reforged would not accept, as sentences. `isUnit`: it needs clips and the attachment of a unit.
export function checkMdx(model, { isUnit = false } = {}) {
    const problems = new Set(), say = (problem) => problems.add(problem), bones = checkNodes(model, say);
    if (model.version === 900) say('the game does not read version 900');
    if (model.unknown.length) say(`chunk ${model.unknown[0]}`);
    if (model.version >= 1000 && model.bind?.length !== model.nodes.length + Math.max(1, model.cameras.length)) say(`BPOS of ${model.bind?.length} matrices, ${model.nodes.length} nodes, ${model.cameras.length} cameras`);
    for (const node of model.version >= 1000 ? model.nodes : [])
        if (model.pivots[node.id].some((v, k) => Math.abs(v - model.bind?.[node.id]?.[9 + k]) > 1e-4 * (1 + Math.abs(v)))) say(`BPOS of ${node.name} is not at its pivot`);
    model.geosets.forEach((geoset, i) => {
        checkGeoset(model, geoset, `geoset ${i}`, bones, say);
        if (geoset.extents.length !== model.sequences.length) say(`geoset ${i} has ${geoset.extents.length} extents`);
    });
    checkMaterials(model, say);
    model.sequences.forEach((sequence, i) => {
        if (sequence.end <= sequence.start) say(`${sequence.name} lasts from ${sequence.start} to ${sequence.end}`);
        if (i > 0 && sequence.start <= model.sequences[i - 1].end) say(`${sequence.name} begins before the last one ends`);
    });
    for (const [owner, track] of allTracks(model)) {
        if (track.keys.some((key, i) => i > 0 && key.time <= track.keys[i - 1].time)) say(`${owner}: times of ${track.tag} do not rise`);
        if (track.keys.length === 0) say(`${owner}: ${track.tag} is empty`);
        if (VISIBILITY.includes(track.tag) && track.interpolation !== 0) say(`${owner}: ${track.tag} is not stepped`);
        if (track.global < -1 || track.global >= model.globals.length) say(`${owner}: ${track.tag} has global sequence ${track.global}`);
        if (track.global >= 0) continue;
        for (const { name, start, end } of model.sequences) {
            const keys = track.keys.filter(({ time }) => time >= start && time <= end);
            const changes = keys.some((key) => key.value.some((v, k) => v !== keys[0].value[k]));
            const needsEnd = track.interpolation > 0;           // a stepped value stays without it
            if (changes && (keys[0].time !== start || (needsEnd && keys.at(-1).time !== end))) say(`${owner}: ${track.tag} has no key at the start or the end of ${name}`);
        }
    }
    const has = (name) => model.sequences.some((sequence) => sequence.name.toLowerCase().startsWith(name));
    if (model.cameras.some(({ name }) => /portrait/i.test(name)) && !has('portrait')) say('a camera, and no Portrait sequence');
    if (isUnit && (!has('stand') || !has('death'))) say('no Stand or no Death');
    if (isUnit && !model.nodes.some((node) => node.kind === 'ATCH' && /^origin ref/i.test(node.name))) say('no Origin Ref');
    if (problems.size === 0) checkExtents(model, say);
    return [...problems];
}

