// Warcraft III models of version 800, read and played straight from the formulas: no speed, no repairs, nothing shared with
// sinew. Local = T * translate(p) * R * S * translate(-p), a node's world is its parent's times that.
const NODE_TRACKS = { KGTR: 3, KGRT: 4, KGSC: 3 };

const text = (bytes, at, size) => bytes.toString('latin1', at, at + size).split('\0')[0];

function chunksOf(bytes) {
    const chunks = {};
    for (let at = 4; at + 8 <= bytes.length;) {
        const size = bytes.readUInt32LE(at + 4);
        chunks[bytes.toString('latin1', at, at + 4)] = bytes.subarray(at + 8, at + 8 + size);
        at += 8 + size;
    }
    return chunks;
}

function readTrack(bytes, at) {
    const tag = bytes.toString('latin1', at, at + 4), width = NODE_TRACKS[tag];
    const count = bytes.readUInt32LE(at + 4), kind = bytes.readUInt32LE(at + 8), global = bytes.readInt32LE(at + 12);
    const keys = [];
    at += 16;
    for (let i = 0; i < count; i++) {
        const parts = [], time = bytes.readInt32LE(at);
        at += 4;
        for (let part = 0; part < (kind > 1 ? 3 : 1); part++, at += 4 * width)
            parts.push(Array.from({ length: width }, (_, c) => bytes.readFloatLE(at + 4 * c)));
        keys.push({ time, value: parts[0], arrive: parts[1], leave: parts[2] });
    }
    keys.sort((a, b) => a.time - b.time);
    return { tag, track: { kind, global, keys }, end: at };
}

function readNode(bytes, at) {
    const end = at + bytes.readUInt32LE(at);
    const node = { name: text(bytes, at + 4, 80), id: bytes.readInt32LE(at + 84), parent: bytes.readInt32LE(at + 88), flags: bytes.readUInt32LE(at + 92), end };
    for (at += 96; at < end;) {
        const { tag, track, end: next } = readTrack(bytes, at);
        node[tag] = track;
        at = next;
    }
    return node;
}

function readNodes(chunks) {
    const nodes = new Map();
    const walk = (tag, step) => {
        const bytes = chunks[tag] ?? Buffer.alloc(0);
        for (let at = 0; at < bytes.length;) at = step(bytes, at);
    };
    const keep = (node) => (nodes.set(node.id, node), node.end);
    walk('BONE', (bytes, at) => keep(readNode(bytes, at)) + 8);
    walk('HELP', (bytes, at) => keep(readNode(bytes, at)));
    for (const tag of ['LITE', 'ATCH', 'PREM', 'PRE2', 'RIBB'])
        walk(tag, (bytes, at) => (keep(readNode(bytes, at + 4)), at + bytes.readUInt32LE(at)));
    return nodes;
}

// The parts of a file that move nodes; null for other versions.
export function readPlain(bytes) {
    if (bytes.toString('latin1', 0, 4) !== 'MDLX') return null;
    const chunks = chunksOf(bytes);
    if (chunks.VERS?.readUInt32LE(0) !== 800) return null;
    const of = (tag, size, read) => Array.from({ length: Math.floor((chunks[tag]?.length ?? 0) / size) }, (_, i) => read(chunks[tag], i * size));
    return {
        nodes: readNodes(chunks),
        pivots: of('PIVT', 12, (bytes, at) => [0, 4, 8].map((k) => bytes.readFloatLE(at + k))),
        globals: of('GLBS', 4, (bytes, at) => bytes.readUInt32LE(at)),
        sequences: of('SEQS', 132, (bytes, at) => ({ start: bytes.readUInt32LE(at + 80), end: bytes.readUInt32LE(at + 84) })),
    };
}

const mix = (a, b, wa, wb) => a.map((x, i) => x * wa + b[i] * wb);

function slerp(a, b, u) {
    let dot = a.reduce((sum, x, i) => sum + x * b[i], 0);
    const sign = dot < 0 ? -1 : 1;
    dot *= sign;
    if (1 - dot <= 1e-6) return mix(a, b, 1 - u, u * sign);
    const angle = Math.acos(dot);
    return mix(a, b, Math.sin((1 - u) * angle) / Math.sin(angle), sign * Math.sin(u * angle) / Math.sin(angle));
}

function between(kind, from, to, u) {
    const a = from.value, d = to.value, b = from.leave, c = to.arrive;
    if (kind === 0) return a;
    if (a.length === 4 && kind === 1) return slerp(a, d, u);
    if (a.length === 4) return slerp(slerp(a, d, u), slerp(b, c, u), 2 * u * (1 - u));
    if (kind === 1) return mix(a, d, 1 - u, u);
    const [wa, wb, wc, wd] = kind === 2 ? [2 * u ** 3 - 3 * u ** 2 + 1, u ** 3 - 2 * u ** 2 + u, u ** 3 - u ** 2, 3 * u ** 2 - 2 * u ** 3]
                                        : [(1 - u) ** 3, 3 * u * (1 - u) ** 2, 3 * u ** 2 * (1 - u), u ** 3];
    return a.map((x, i) => x * wa + b[i] * wb + c[i] * wc + d[i] * wd);
}

// As the game does it: before the first key it measures back from that key.
function sample(model, track, sequence, ms, clock, usual) {
    if (!track) return usual;
    let { start, end } = sequence, time = ms;
    if (track.global >= 0 && track.global < model.globals.length) {
        start = 0, end = model.globals[track.global], time = end ? clock % end : 0;
        if (track.keys[0].time > end) return track.keys[0].value;
    }
    const keys = track.keys.filter((key) => key.time >= start && key.time <= end);
    if (keys.length === 0) return usual;
    const first = keys[0], last = keys.at(-1);
    if (keys.length === 1) return first.value;
    if (time >= first.time && time < last.time) {
        const next = keys.findIndex((key) => key.time > time), from = keys[next - 1], to = keys[next];
        return between(track.kind, from, to, (time - from.time) / (to.time - from.time));
    }
    const gap = end - start - (last.time - first.time);
    return between(track.kind, last, first, gap <= 0 ? 0 : (time - (time < first.time ? first.time : last.time)) / gap);
}

function matrixOf(move, turn, size, pivot) {
    const length = Math.hypot(...turn), [x, y, z, w] = length > 0 ? turn.map((v) => v / length) : [0, 0, 0, 1];
    const rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                  [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]];
    return rows.map((row, r) => {
        const scaled = row.map((v, c) => v * size[c]);
        return [...scaled, move[r] + pivot[r] - scaled.reduce((sum, v, c) => sum + v * pivot[c], 0)];
    });
}

const times = (a, b) => a.map((row) => [0, 1, 2, 3].map((c) => row[0] * b[0][c] + row[1] * b[1][c] + row[2] * b[2][c] + (c === 3 ? row[3] : 0)));

// Where a node with its axes is: three rows of four, the last column World * pivot. Null for events and shapes, which
// are not read here, and where something above it does not simply follow its parent.
export function placeOf(model, id, sequence, ms, clock) {
    let world = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]];
    if (!model.nodes.has(id)) return null;
    for (let node = model.nodes.get(id), depth = 0; node; node = model.nodes.get(node.parent)) {
        if (node.flags & 0x7F || depth++ > 256) return null;
        const get = (tag, usual) => sample(model, node[tag], sequence, ms, clock, usual);
        world = times(matrixOf(get('KGTR', [0, 0, 0]), get('KGRT', [0, 0, 0, 1]), get('KGSC', [1, 1, 1]), model.pivots[node.id] ?? [0, 0, 0]), world);
    }
    const pivot = model.pivots[id] ?? [0, 0, 0];
    return world.map((row) => [row[0], row[1], row[2], row[0] * pivot[0] + row[1] * pivot[1] + row[2] * pivot[2] + row[3]]);
}
