// What was dropped: the files, the grid of thumbnails, the filter.
const state = { drops: [], items: [], names: new Map(), errors: 0, others: 0, formats: null, version: '', isListing: 0 };
let queue = [];              // items without a thumbnail
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

// The files in .zip archives take the place of these, also where an archive is in an archive.
async function expandZips(files) {
    const all = [], failed = [];
    const expand = async (path, file, depth, budget) => {
        if (extensionOf(path) !== 'zip' || depth > ZIP_DEPTH) {
            all.push({ path: cleanName(path), file });
            return;
        }
        try {
            for (const entry of await readZip(file, budget)) {
                try {
                    await expand(`${path}/${entry.path}`, await entry.open(), depth + 1, budget);
                } catch (error) {
                    failed.push({ path: `${path}/${entry.path}`, error: error.message });
                }
            }
        } catch (error) {
            failed.push({ path, error: error.message });
        }
    };
    for (const { path, file } of files) await expand(path, file, 0, { bytes: ZIP_LIMIT });
    return { all: withoutRepeats(all), failed };
}

// A relative path. emscripten keeps names as keys of objects: those that every object has get another name.
const cleanName = (name) => name.replace(/\\/g, '/').split('/').filter((part) => part && part !== '.' && part !== '..')
    .map((part) => (part in {} ? `_${part}` : part)).join('/') || 'unnamed';

// Files of two folders may be dropped together and have the same name: the second becomes "hound (2).mdx".
function withoutRepeats(files) {
    const seen = new Set();
    return files.map(({ path, file }) => {
        let name = path;
        for (let i = 2; seen.has(name); i++) name = path.replace(/(\.[^./]*)?$/, ` (${i})$1`);
        seen.add(name);
        return { path: name, file };
    });
}

async function open(files) {
    if (files.length === 0) {
        putStatus();
        return;
    }
    state.isListing++;
    document.body.classList.remove('empty');
    putStatus();
    try {
        const { all, failed } = await expandZips(files);
        await (engine.ready ??= engine.start());
        const hasModels = state.items.some((item) => !item.error), wasEmpty = state.items.length === 0;
        const number = state.drops.length, drop = { number, files: all, isAlone: !hasModels };
        // A drop that cannot be listed is forgotten, so that the next worker does not fail in the same way.
        state.drops.push(drop);
        const { items } = all.length > 0 ? await engine.post('mount', drop, 300).catch((error) => {
            drop.files = [];
            throw error;
        }) : { items: [] };
        for (const { path, error } of failed) items.push({ drop: number, path, archive: null, error });
        if (items.length === 0 && !hasModels) items.push({ drop: number, path: files[0].path.split('/')[0], archive: null, error: `no model and no archive among ${countOf(all.length, 'file')}` });
        if (items.length === 0) state.others += all.length;
        addItems(items);
        if (hasModels) findAgain();
        const good = items.filter((item) => !item.error);
        if (good.length === 1 && (wasEmpty || items.length === 1)) await show(good[0]);
    } catch (error) {
        addItems([{ drop: -1, path: files[0].path, archive: null, error: error.message }]);
    }
    state.isListing--;
    putStatus();
    drawThumbs();
}

// What was missing may be among the files that were dropped now.
function findAgain() {
    for (const item of state.items) if (item.summary?.lacksFiles && !queue.includes(item)) queue.push(item);
    if (view.info && view.lacksFiles) show(view.item, true);
}

// Forgets all files. The worker's memory goes with the worker.
function closeAll() {
    closeModel();
    for (const item of state.items) URL.revokeObjectURL(item.picture);
    Object.assign(state, { drops: [], items: [], names: new Map(), errors: 0, others: 0 });
    queue = [];
    $('grid').replaceChildren();
    $('search').value = '';
    $('errors-only').checked = false;
    document.body.classList.add('empty');
    engine.reset();
    putStatus();
    $('open-files').focus();
}

function addItems(items) {
    document.body.classList.remove('empty');
    for (const item of items) {
        item.index = state.items.length;
        state.items.push(item);
        addCard(item);
        if (!item.error) queue.push(item);
        filterCard(item);
    }
    putStatus();
}

// Cards that can be seen get their thumbnails first.
const onScreen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) target.item.isOnScreen = isIntersecting;
});

function addCard(item) {
    const name = make('span', { className: 'name', textContent: lastName(item.path) });
    const picture = make('span', { className: 'blank' }), note = make('span', { className: 'note' });
    item.card = make('button', { type: 'button', className: 'card', title: item.archive ? `${item.archive}: ${item.path}` : item.path }, picture, name, note);
    item.card.addEventListener('click', () => show(item));
    item.place = make('li', {}, item.card);
    item.place.item = item;
    onScreen.observe(item.place);
    $('grid').append(item.place);
    const twin = state.names.get(name.textContent);
    if (twin) [twin, item].forEach(putFolder);
    else state.names.set(name.textContent, item);
    if (item.error) failCard(item, item.error);
}

// Cards of the same name say where their files are.
function putFolder({ card, archive, path }) {
    const folder = [archive, path.slice(0, Math.max(0, path.lastIndexOf('/')))].filter(Boolean).join(': ');
    if (folder && !card.querySelector('.folder')) card.lastChild.before(make('span', { className: 'note folder', textContent: folder }));
}

function failCard(item, message) {
    if (!item.isBad) state.errors++;
    Object.assign(item, { error: message, isBad: true });
    item.card.classList.add('bad');
    const blank = make('span', { className: 'blank', textContent: 'error' });
    item.card.firstChild.replaceWith(blank);
    item.card.lastChild.textContent = message;
}

const countOf = (count, what) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

function fillCard(item, { picture, summary }) {
    URL.revokeObjectURL(item.picture);
    item.picture = URL.createObjectURL(picture);
    item.card.firstChild.replaceWith(make('img', { src: item.picture, alt: '', decoding: 'async' }));
    item.summary = summary;
    const parts = [summary.triangles > 0 ? countOf(summary.triangles, 'triangle') : 'no triangles'];
    if (summary.clips > 0) parts.push(countOf(summary.clips, 'clip'));
    if (summary.warnings > 0) parts.push(countOf(summary.warnings, 'warning'));
    item.card.lastChild.textContent = parts.join(' · ');
}

// One at a time, so that the model that is shown can be drawn in between.
async function drawThumbs() {
    if (isDrawingThumbs) return;
    isDrawingThumbs = true;
    while (queue.length > 0) {
        const seen = queue.findIndex((item) => item.isOnScreen), [item] = queue.splice(Math.max(0, seen), 1), { items } = state;
        try {
            const made = await engine.request('thumb', { item: plain(item), side: THUMB_SIDE }, 40);
            if (state.items === items) fillCard(item, made);
        } catch (error) {
            if (state.items !== items) continue;
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
    const parts = count > 0 ? [countOf(count, 'file')] : [];
    if (state.others > 0) parts.push(`${countOf(state.others, 'other file')}`);
    if (errors > 0) parts.push(countOf(errors, 'error'));
    if (state.isListing > 0) parts.push('reading…');
    else if (queue.length > 0) parts.push(`${queue.length.toLocaleString('en')} to draw`);
    $('status').textContent = parts.join(' · ');
    $('close-all').hidden = count === 0;
    $('close-all').disabled = state.isListing > 0;
    document.body.dataset.busy = String(state.isListing > 0 || queue.length > 0 || isDrawingThumbs);
}

function filterCard(item) {
    const text = $('search').value.toLowerCase();
    item.place.hidden = !item.path.toLowerCase().includes(text) || ($('errors-only').checked && !item.error);
}

function filterCards() { state.items.forEach(filterCard); }
