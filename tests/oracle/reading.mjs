// What the readers of the games' formats share: a cursor that fails on the first byte too many, and affine arithmetic in double precision.
// The readers are written from descriptions of the formats alone and share nothing with sinew.

export function must(condition, message) {
    if (!condition) throw new Error(message);
}

// A window of bytes, little-endian. Reading past its end throws, and so does `end` when bytes are left.
export class Cursor {
    constructor(bytes, at = 0, to = bytes.length) {
        must(at >= 0 && at <= to && to <= bytes.length, `bytes ${at}..${to} of ${bytes.length}`);
        Object.assign(this, { bytes, at, to });
    }
    get left() { return this.to - this.at; }
    take(count) {
        must(Number.isInteger(count) && count >= 0 && count <= this.left, `${count} bytes wanted at ${this.at}, ${this.left} are left`);
        this.at += count;
        return this.at - count;
    }
    window(count) { const from = this.take(count); return new Cursor(this.bytes, from, from + count); }
    u8() { return this.bytes.readUInt8(this.take(1)); }
    u16() { return this.bytes.readUInt16LE(this.take(2)); }
    i16() { return this.bytes.readInt16LE(this.take(2)); }
    u32() { return this.bytes.readUInt32LE(this.take(4)); }
    i32() { return this.bytes.readInt32LE(this.take(4)); }
    f32() { return this.bytes.readFloatLE(this.take(4)); }
    many(count, read) { return Array.from({ length: count }, read); }
    f32s(count) { must(count * 4 <= this.left, `${count} floats at ${this.at}`); return this.many(count, () => this.f32()); }
    u32s(count) { must(count * 4 <= this.left, `${count} words at ${this.at}`); return this.many(count, () => this.u32()); }
    raw(count) { const from = this.take(count); return this.bytes.subarray(from, from + count); }
    tag() { return this.raw(4).toString('latin1'); }
    peekTag() { return this.left >= 4 ? this.bytes.toString('latin1', this.at, this.at + 4) : ''; }
    // A text of fixed size up to its first NUL; `needsEnd`: there must be one.
    text(size, needsEnd = true) {
        const field = this.raw(size), end = field.indexOf(0);
        must(end >= 0 || !needsEnd, `text of ${size} bytes without its NUL: ${field.toString('latin1')}`);
        return field.toString('latin1', 0, end < 0 ? size : end);
    }
    end(what) { must(this.left === 0, `${this.left} bytes are left behind ${what}`); }
}

export function forEachUntilEnd(cursor, read) {
    const found = [];
    while (cursor.left > 0) found.push(read(cursor));
    return found;
}

// Matrices: 16 numbers, column after column. Quaternions: x, y, z, w.
export const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

export function multiply(...matrices) {
    return matrices.reduce((a, b) => {
        const m = new Array(16);
        for (let c = 0; c < 4; c++)
            for (let r = 0; r < 4; r++)
                m[4 * c + r] = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
        return m;
    });
}

export const translation = ([x, y, z]) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
export const scaling = ([x, y, z]) => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1];

export function normalize(q) {
    const length = Math.hypot(...q);
    return length > 0 ? q.map((v) => v / length) : [0, 0, 0, 1];
}

export function rotation(q) {
    const [x, y, z, w] = normalize(q);
    return [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0, 2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
        2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0, 0, 0, 0, 1];
}

export const conjugate = ([x, y, z, w]) => [-x, -y, -z, w];
export const turn = ([a, b, c, d], [x, y, z, w]) => [d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x, d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z];

export function determinant(m) {
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) + m[8] * (m[1] * m[6] - m[2] * m[5]);
}

export function invert(m) {
    const d = determinant(m), i = [m[5] * m[10] - m[9] * m[6], m[9] * m[2] - m[1] * m[10], m[1] * m[6] - m[5] * m[2], m[8] * m[6] - m[4] * m[10],
        m[0] * m[10] - m[8] * m[2], m[4] * m[2] - m[0] * m[6], m[4] * m[9] - m[8] * m[5], m[8] * m[1] - m[0] * m[9], m[0] * m[5] - m[4] * m[1]].map((v) => v / d);
    const move = [0, 1, 2].map((r) => -(i[r] * m[12] + i[3 + r] * m[13] + i[6 + r] * m[14]));
    return [...i.slice(0, 3), 0, ...i.slice(3, 6), 0, ...i.slice(6, 9), 0, ...move, 1];
}

export function transform(m, [x, y, z]) {
    return [m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13], m[2] * x + m[6] * y + m[10] * z + m[14]];
}

export const mix = (a, b, u) => a.map((v, i) => v + (b[i] - v) * u);

// Along the shorter arc; straight where `a` and `b` are that close.
export function slerp(a, b, u, straight = 1e-6) {
    let dot = a.reduce((sum, v, i) => sum + v * b[i], 0), sign = 1;
    if (dot < 0) [dot, sign] = [-dot, -1];
    if (1 - dot <= straight) return a.map((v, i) => v * (1 - u) + sign * b[i] * u);
    const angle = Math.acos(Math.min(1, dot)), s = Math.sin(angle), p = Math.sin((1 - u) * angle) / s, q = sign * Math.sin(u * angle) / s;
    return a.map((v, i) => v * p + b[i] * q);
}

// Boxes of points [x, y, z].
export function boxOf(points) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const p of points)
        for (let k = 0; k < 3; k++) {
            low[k] = Math.min(low[k], p[k]);
            high[k] = Math.max(high[k], p[k]);
        }
    return { low, high, size: points.length ? Math.hypot(...high.map((v, k) => v - low[k])) : 0 };
}

export const triples = (flat) => Array.from({ length: flat.length / 3 }, (_, i) => [flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]]);
