// What was dropped: the files, the grid of thumbnails, the filter.
const state = { drops: [], items: [], errors: 0, formats: null, version: '', isListing: 0 };
const queue = [];            // items without a thumbnail
let isDrawingThumbs = false;

const extensionOf = (name) => /\.([^./]+)$/.exec(name)?.[1].toLowerCase() ?? '';
const lastName = (path) => path.slice(path.lastIndexOf('/') + 1);

// Files of a drop, folders with all below them: { path, file }.
async function filesOfEntry(entry, path, files) {
    if (files.length >= FILES_MAX) return;
    if (entry.isFile) {
        files.push({ path: path + entry.name, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
        return;
    }
    const reader = entry.createReader();
    for (;;) {
        const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (entries.length === 0) return;
        for (const child of entries) if (!child.name.startsWith('.')) await filesOfEntry(child, `${path}${entry.name}/`, files);
    }
}

async function filesOfDrop(transfer) {
    const entries = [...transfer.items].filter((item) => item.kind === 'file').map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile());
    const files = [];
    for (const entry of entries.filter(Boolean)) {
        if (entry instanceof File) files.push({ path: entry.name, file: entry });
        else await filesOfEntry(entry, '', files);
    }
    return files;
}

// The files in .zip archives take the place of these.
async function expandZips(files) {
    const all = [], failed = [];
    for (const { path, file } of files) {
        if (extensionOf(path) !== 'zip') {
            all.push({ path: cleanName(path), file });
            continue;
        }
        try {
            for (const entry of await readZip(file)) {
                try {
                    all.push({ path: cleanName(`${path}/${entry.path}`), file: await entry.open() });
                } catch (error) {
                    failed.push({ path: `${path}/${entry.path}`, error: error.message });
                }
            }
        } catch (error) {
            failed.push({ path, error: error.message });
        }
    }
    return { all: withoutRepeats(all), failed };
}

// A relative path. emscripten keeps names as keys of objects: those that every object has get another name.
const cleanName = (name) => name.replace(/\\/g, '/').split('/').filter((part) => part && part !== '.' && part !== '..')
    .map((part) => (part in {} ? `_${part}` : part)).join('/') || 'unnamed';

function withoutRepeats(files) {
    const seen = new Set();
    return files.filter(({ path }) => !seen.has(path) && seen.add(path));
}

async function open(files) {
    if (files.length === 0) return;
    document.body.classList.remove('empty');
    state.isListing++;
    putStatus();
    try {
        const { all, failed } = await expandZips(files);
        await (engine.ready ??= engine.start());
        const number = state.drops.length, drop = { number, files: all }, wasEmpty = state.items.length === 0;
        // A drop that cannot be listed is forgotten, so that the next worker does not fail in the same way.
        state.drops.push(drop);
        const { items } = all.length > 0 ? await engine.post('mount', drop, 300).catch((error) => {
            drop.files = [];
            throw error;
        }) : { items: [] };
        for (const { path, error } of failed) items.push({ drop: number, path, archive: null, error });
        addItems(items);
        const good = items.filter((item) => !item.error);
        if (good.length === 1 && (wasEmpty || items.length === 1)) await show(good[0]);
    } catch (error) {
        addItems([{ drop: -1, path: files[0].path, archive: null, error: error.message }]);
    }
    state.isListing--;
    putStatus();
    drawThumbs();
}

function addItems(items) {
    for (const item of items) {
        item.index = state.items.length;
        state.items.push(item);
        addCard(item);
        if (!item.error) queue.push(item);
        filterCard(item);
    }
    putStatus();
}

function addCard(item) {
    const name = make('span', { className: 'name', textContent: lastName(item.path) });
    const picture = make('span', { className: 'blank' }), note = make('span', { className: 'note' });
    item.card = make('button', { type: 'button', className: 'card', title: item.archive ? `${item.archive}: ${item.path}` : item.path }, picture, name, note);
    item.card.addEventListener('click', () => show(item));
    item.place = make('li', {}, item.card);
    $('grid').append(item.place);
    if (item.error) failCard(item, item.error);
}

function failCard(item, message) {
    if (!item.isBad) state.errors++;
    Object.assign(item, { error: message, isBad: true });
    item.card.classList.add('bad');
    const blank = make('span', { className: 'blank', textContent: 'error' });
    item.card.firstChild.replaceWith(blank);
    item.card.lastChild.textContent = message;
}

function fillCard(item, { pixels, summary }) {
    const canvas = make('canvas', { width: pixels.width, height: pixels.height });
    canvas.setAttribute('aria-hidden', 'true');
    canvas.getContext('2d').putImageData(new ImageData(pixels.rgba, pixels.width, pixels.height), 0, 0);
    item.card.firstChild.replaceWith(canvas);
    item.summary = summary;
    const parts = [summary.triangles > 0 ? `${summary.triangles.toLocaleString('en')} triangles` : 'no triangles'];
    if (summary.clips > 0) parts.push(summary.clips === 1 ? '1 clip' : `${summary.clips} clips`);
    if (summary.warnings > 0) parts.push(summary.warnings === 1 ? '1 warning' : `${summary.warnings} warnings`);
    item.card.lastChild.textContent = parts.join(' · ');
}

// One at a time, so that the model that is shown can be drawn in between.
async function drawThumbs() {
    if (isDrawingThumbs) return;
    isDrawingThumbs = true;
    while (queue.length > 0) {
        const item = queue.shift();
        try {
            fillCard(item, await engine.request('thumb', { item: plain(item), side: THUMB_SIDE }, 40));
        } catch (error) {
            failCard(item, error.message);
            filterCard(item);
        }
        putStatus();
    }
    isDrawingThumbs = false;
    putStatus();
}

const plain = ({ drop, path, archive }) => ({ drop, path, archive, team: Number(view.team) });

function putStatus() {
    const count = state.items.length, errors = state.errors;
    const parts = count > 0 ? [`${count} ${count === 1 ? 'file' : 'files'}`] : [];
    if (errors > 0) parts.push(`${errors} ${errors === 1 ? 'error' : 'errors'}`);
    if (state.isListing > 0) parts.push('reading…');
    else if (queue.length > 0) parts.push(`${queue.length} to draw`);
    $('status').textContent = parts.join(' · ');
    document.body.dataset.busy = String(state.isListing > 0 || queue.length > 0 || isDrawingThumbs);
}

function filterCard(item) {
    const text = $('search').value.toLowerCase();
    item.place.hidden = !item.path.toLowerCase().includes(text) || ($('errors-only').checked && !item.error);
}

function filterCards() { state.items.forEach(filterCard); }
