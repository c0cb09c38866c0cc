// Reads .zip files: stored and deflated entries, and Zip64. Entries are inflated by the browser, up to the size that the directory lists.
const ZIP_LIMIT = 2 ** 31;        // bytes of all entries together

async function readZip(blob) {
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
    let at = 0, total = 0;
    for (let i = 0; i < count; i++) {
        if (at + 46 > directory.byteLength || directory.getUint32(at, true) !== 0x02014b50) throw new Error('the directory of the ZIP archive is damaged');
        const entry = readEntry(directory, at);
        at = entry.next;
        if (entry.name.endsWith('/')) continue;
        total += entry.size;
        if (total > ZIP_LIMIT) throw new Error('the files of the ZIP archive are larger than 2 GiB together');
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
