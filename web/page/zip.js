// Reads and writes .zip files. Reading: stored and deflated entries, and Zip64. Entries are inflated by the browser, up to the size that the directory lists.
const ZIP_LIMIT = 2 ** 31, ZIP_DEPTH = 3;        // bytes of all entries together; archives in archives

// The files of a .zip. `budget.bytes`: what is left for them and those of archives in this one.
async function readZip(blob, budget) {
    const view = async (start, size) => new DataView(await blob.slice(start, start + size).arrayBuffer());
    const tailStart = Math.max(0, blob.size - 65557), tail = await view(tailStart, blob.size - tailStart);
    let end = tail.byteLength - 22;
    while (end >= 0 && tail.getUint32(end, true) !== 0x06054b50) end--;
    if (end < 0) throw new Error('not a ZIP archive: it has no directory');
    let count = tail.getUint16(end + 10, true), size = tail.getUint32(end + 12, true), start = tail.getUint32(end + 16, true);
    if (end >= 20 && tail.getUint32(end - 20, true) === 0x07064b50) {
        const far = await view(Number(tail.getBigUint64(end - 12, true)), 56);
        if (far.byteLength === 56 && far.getUint32(0, true) === 0x06064b50) {
            count = Number(far.getBigUint64(32, true));
            size = Number(far.getBigUint64(40, true));
            start = Number(far.getBigUint64(48, true));
        }
    }
    if (start + size > blob.size || size > 1 << 28) throw new Error('the directory of the ZIP archive is damaged');
    const directory = await view(start, size), files = [];
    let at = 0;
    for (let i = 0; i < count; i++) {
        if (at + 46 > directory.byteLength || directory.getUint32(at, true) !== 0x02014b50) throw new Error('the directory of the ZIP archive is damaged');
        const entry = readEntry(directory, at);
        at = entry.next;
        if (entry.name.endsWith('/')) continue;
        budget.bytes -= entry.size;
        if (budget.bytes < 0) throw new Error('the files of the ZIP archive are larger than 2 GiB together');
        files.push(entry);
    }
    return files.map((entry) => ({ path: entry.name, size: entry.size, open: () => openEntry(blob, entry) }));
}

function readEntry(directory, at) {
    const flags = directory.getUint16(at + 8, true), method = directory.getUint16(at + 10, true);
    const nameSize = directory.getUint16(at + 28, true), extraSize = directory.getUint16(at + 30, true), noteSize = directory.getUint16(at + 32, true);
    let packed = directory.getUint32(at + 20, true), size = directory.getUint32(at + 24, true), offset = directory.getUint32(at + 42, true);
    const next = at + 46 + nameSize + extraSize + noteSize;
    if (next > directory.byteLength) throw new Error('the directory of the ZIP archive is damaged');
    const name = new TextDecoder().decode(new Uint8Array(directory.buffer, directory.byteOffset + at + 46, nameSize));
    for (let extra = at + 46 + nameSize; extra + 4 <= at + 46 + nameSize + extraSize;) {
        const id = directory.getUint16(extra, true), length = directory.getUint16(extra + 2, true);
        let field = extra + 4;
        const take = () => { field += 8; return Number(directory.getBigUint64(field - 8, true)); };
        if (id === 1 && field + length <= next) {
            if (size === 0xffffffff) size = take();
            if (packed === 0xffffffff) packed = take();
            if (offset === 0xffffffff) offset = take();
        }
        extra += 4 + length;
    }
    return { name, flags, method, packed, size, offset, next };
}

async function openEntry(blob, { name, flags, method, packed, size, offset }) {
    if (flags & 1) throw new Error(`${name} is encrypted`);
    if (method !== 0 && method !== 8) throw new Error(`${name} is packed with method ${method}; only stored and deflated files are read`);
    const head = new DataView(await blob.slice(offset, offset + 30).arrayBuffer());
    if (head.byteLength < 30 || head.getUint32(0, true) !== 0x04034b50) throw new Error(`${name} is not where the directory of the ZIP archive says`);
    const start = offset + 30 + head.getUint16(26, true) + head.getUint16(28, true), data = blob.slice(start, start + packed);
    if (method === 0) return data;
    const reader = data.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader(), parts = [];
    let got = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        got += value.length;
        if (got > size) {
            await reader.cancel();
            throw new Error(`${name} is larger than the directory of the ZIP archive says`);
        }
        parts.push(value);
    }
    if (got !== size) throw new Error(`${name} is truncated`);
    return new Blob(parts);
}

// Writes a .zip with stored entries.
function writeZip(files) {
    const encoder = new TextEncoder(), parts = [], directory = [];
    let offset = 0;
    for (const { name, data } of files) {
        const bytes = encoder.encode(name), head = new DataView(new ArrayBuffer(30)), entry = new DataView(new ArrayBuffer(46)), sum = crc32(data);
        const put = (to, at) => {
            to.setUint16(at, 20, true);
            to.setUint16(at + 2, 0x800, true);
            to.setUint16(at + 8, 0x21, true);
            to.setUint32(at + 10, sum, true);
            to.setUint32(at + 14, data.length, true);
            to.setUint32(at + 18, data.length, true);
            to.setUint16(at + 22, bytes.length, true);
        };
        head.setUint32(0, 0x04034b50, true);
        put(head, 4);
        entry.setUint32(0, 0x02014b50, true);
        entry.setUint16(4, 20, true);
        put(entry, 6);
        entry.setUint32(42, offset, true);
        parts.push(head, bytes, data);
        directory.push(entry, bytes);
        offset += 30 + bytes.length + data.length;
    }
    const size = directory.reduce((sum, part) => sum + part.byteLength, 0), end = new DataView(new ArrayBuffer(22));
    end.setUint32(0, 0x06054b50, true);
    end.setUint16(8, files.length, true);
    end.setUint16(10, files.length, true);
    end.setUint32(12, size, true);
    end.setUint32(16, offset, true);
    return new Blob([...parts, ...directory, end]);
}

function crc32(data) {
    crc32.table ??= Uint32Array.from({ length: 256 }, (_, i) => {
        let value = i;
        for (let k = 0; k < 8; k++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
        return value;
    });
    let sum = 0xffffffff;
    for (const byte of data) sum = (sum >>> 8) ^ crc32.table[(sum ^ byte) & 255];
    return (sum ^ 0xffffffff) >>> 0;
}
