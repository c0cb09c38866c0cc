// Small archives for the tests of the page.
import zlib from 'node:zlib';

// Deflated, or stored where that is smaller. `files`: name to bytes.
export function makeZip(files) {
    const parts = [], directory = [];
    let offset = 0;
    for (const [name, data] of Object.entries(files)) {
        const packed = zlib.deflateRawSync(data), isPacked = packed.length < data.length, body = isPacked ? packed : data, bytes = Buffer.from(name);
        const head = Buffer.alloc(30), entry = Buffer.alloc(46);
        head.writeUInt32LE(0x04034b50, 0);
        head.writeUInt16LE(isPacked ? 8 : 0, 8);
        head.writeUInt16LE(bytes.length, 26);
        entry.writeUInt32LE(0x02014b50, 0);
        entry.writeUInt16LE(isPacked ? 8 : 0, 10);
        entry.writeUInt32LE(body.length, 20);
        entry.writeUInt32LE(data.length, 24);
        entry.writeUInt16LE(bytes.length, 28);
        entry.writeUInt32LE(offset, 42);
        parts.push(head, bytes, body);
        directory.push(entry, bytes);
        offset += head.length + bytes.length + body.length;
    }
    const list = Buffer.concat(directory), end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(Object.keys(files).length, 8);
    end.writeUInt16LE(Object.keys(files).length, 10);
    end.writeUInt32LE(list.length, 12);
    end.writeUInt32LE(offset, 16);
    return Buffer.concat([...parts, list, end]);
}

// The entries of a ZIP with stored files only, as the page writes it.
export function readStoredZip(zip) {
    const files = {};
    for (let at = 0; zip.readUInt32LE(at) === 0x04034b50;) {
        const size = zip.readUInt32LE(at + 18), nameSize = zip.readUInt16LE(at + 26), start = at + 30 + nameSize + zip.readUInt16LE(at + 28);
        const data = zip.subarray(start, start + size);
        if (zlib.crc32 && zlib.crc32(data) !== zip.readUInt32LE(at + 14)) throw new Error('wrong checksum');
        files[zip.toString('utf8', at + 30, at + 30 + nameSize)] = data;
        at = start + size;
    }
    return files;
}

// BIGF: big-endian offset and size, then the name.
export function makeBig(files) {
    const names = Object.keys(files), headSize = 16 + names.reduce((sum, name) => sum + 8 + Buffer.byteLength(name) + 1, 0), head = Buffer.alloc(headSize);
    let at = 16, offset = headSize;
    head.write('BIGF');
    head.writeUInt32BE(names.length, 8);
    head.writeUInt32BE(headSize, 12);
    for (const name of names) {
        head.writeUInt32BE(offset, at);
        head.writeUInt32BE(files[name].length, at + 4);
        head.write(`${name}\0`, at + 8);
        at += 8 + Buffer.byteLength(name) + 1;
        offset += files[name].length;
    }
    const all = Buffer.concat([head, ...names.map((name) => files[name])]);
    all.writeUInt32LE(all.length, 4);
    return all;
}

// The pixels of a PNG with 8 bits and no interlacing: { width, height, rgba }.
export function readPng(png) {
    const width = png.readUInt32BE(16), height = png.readUInt32BE(20), channels = { 2: 3, 6: 4 }[png[25]], data = [];
    for (let at = 8; at < png.length;) {
        const size = png.readUInt32BE(at);
        if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + size));
        at += 12 + size;
    }
    const bytes = zlib.inflateSync(Buffer.concat(data)), row = width * channels, plain = Buffer.alloc(row * height), rgba = Buffer.alloc(width * height * 4, 255);
    for (let y = 0; y < height; y++) {
        const filter = bytes[y * (row + 1)];
        for (let x = 0; x < row; x++) {
            const left = x >= channels ? plain[y * row + x - channels] : 0, up = y > 0 ? plain[(y - 1) * row + x] : 0;
            const corner = x >= channels && y > 0 ? plain[(y - 1) * row + x - channels] : 0, guess = left + up - corner;
            const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
            const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
            plain[y * row + x] = bytes[y * (row + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth][filter];
        }
    }
    for (let i = 0; i < width * height; i++) plain.copy(rgba, i * 4, i * channels, (i + 1) * channels);
    return { width, height, rgba };
}

// The largest difference of averages over 8 x 8 pixels, of 255, as tests/render/test_render_golden.c computes it.
export function differenceOfBlocks(a, b) {
    let most = 0;
    for (let y = 0; y + 8 <= a.height; y += 8) {
        for (let x = 0; x + 8 <= a.width; x += 8) {
            for (let channel = 0; channel < 4; channel++) {
                let sum = 0;
                for (let v = 0; v < 8; v++)
                    for (let u = 0; u < 8; u++) {
                        const at = ((y + v) * a.width + x + u) * 4, hidden = channel < 3;
                        const of = (picture) => (hidden ? picture.rgba[at + channel] * picture.rgba[at + 3] / 255 : picture.rgba[at + 3]);
                        sum += of(a) - of(b);
                    }
                most = Math.max(most, Math.abs(sum) / 64);
            }
        }
    }
    return most;
}
