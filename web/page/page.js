'use strict';
// The page: what was dropped, the grid, the model that is shown, and its panels. Files are parsed only in the worker.
const $ = (id) => document.getElementById(id);
const SHOW = {
    bones: 1, names: 2, axes: 4, attachments: 8, wireframe: 16, normals: 32, weights: 64, bounds: 128, ground: 256, shadow: 512, plain: 1024, lights: 2048,
    selection: 4096,
};
// As the keys of `sinew view`.
const TOGGLES = [
    ['bones', 'Bones', 'b'], ['names', 'Names', 'n'], ['axes', 'Axes', 'a'], ['weights', 'Weights', 'e'], ['wireframe', 'Wireframe', 'w'],
    ['ground', 'Ground', 'g'], ['shadow', 'Shadow', 'd'], ['plain', 'No textures', 't'], ['attachments', 'Attachments', 'm'], ['normals', 'Normals', 'v'],
    ['bounds', 'Bounds', 'x'], ['lights', 'Lights', 'l'],
];
const TEAMS = ['red', 'blue', 'teal', 'purple', 'yellow', 'orange', 'green', 'pink', 'gray', 'light blue', 'dark green', 'brown', 'maroon', 'navy', 'turquoise',
    'violet', 'wheat', 'peach', 'mint', 'lavender', 'coal', 'snow', 'emerald', 'peanut'];
const ANGLES = { 1: [0.6, 0.3], 2: [0, 0], 3: [Math.PI, 0], 4: [Math.PI / 2, 0], 5: [-Math.PI / 2, 0], 6: [0, Math.PI / 2], 7: [0, -Math.PI / 2] };
const SPEEDS = [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16];
const THUMB_SIDE = 192, FILES_MAX = 100000;

// Elements are made by hand: text from files never becomes markup.
function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (name.startsWith('aria-') || name === 'role' || name === 'for') element.setAttribute(name, value);
        else element[name] = value;
    }
    element.append(...children);
    return element;
}

// The worker. A request that takes too long, or an error that is not the library's, ends it; the next request starts another.

async function unpack(id) {
    const text = atob($(id).textContent), bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
}

const engine = {
    worker: null, ready: null, waiting: new Map(), count: 0, source: null, module: null, restarts: 0,

    async start() {
        this.source ??= URL.createObjectURL(new Blob([await unpack('worker-source')], { type: 'text/javascript' }));
        this.module ??= await unpack('module-bytes');
        const worker = this.worker = new Worker(this.source);
        worker.onmessage = ({ data }) => this.receive(worker, data);
        worker.onerror = (event) => {
            event.preventDefault();
            this.stop(worker, event.message || 'the worker stopped');
        };
        const { formats, version } = await this.post('init', { wasm: this.module }, 60);
        state.formats = formats;
        state.version = version;
        for (const drop of state.drops) await this.post('mount', { number: drop.number, files: drop.files }, 300);
    },

    post(op, values, seconds) {
        return new Promise((resolve, reject) => {
            const id = ++this.count, worker = this.worker;
            const timer = setTimeout(() => this.stop(worker, `it takes more than ${seconds} seconds`), seconds * 1000);
            this.waiting.set(id, { resolve, reject, timer });
            worker.postMessage({ id, op, ...values });
        });
    },

    async request(op, values = {}, seconds = 90) {
        this.ready ??= this.start();
        await this.ready;
        return this.post(op, values, seconds);
    },

    receive(worker, { id, result, error, lost }) {
        if (worker !== this.worker) return;
        if (lost) {
            this.stop(worker, 'the graphics card was reset');
            return;
        }
        const request = this.waiting.get(id);
        if (!request) return;
        this.waiting.delete(id);
        clearTimeout(request.timer);
        if (!error) request.resolve(result);
        else {
            request.reject(new Error(error.message));
            if (error.isFatal) this.stop(worker, error.message);
        }
    },

    // What waited has failed. A model that was shown is shown again by the next worker.
    stop(worker, reason) {
        if (worker !== this.worker) return;
        worker.terminate();
        this.worker = this.ready = null;
        this.restarts++;
        const waiting = [...this.waiting.values()];
        this.waiting.clear();
        for (const { reject, timer } of waiting) {
            clearTimeout(timer);
            reject(new Error(reason));
        }
        if (view.item) view.isLost = true;
    },
};

// What was dropped

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

// The model that is shown

const view = {
    item: null, info: null, isLost: false, clip: -1, seconds: 0, clock: 0, lod: 0, team: 0, camera: -1, selected: -1, show: 0, speed: 1, isPlaying: false,
    fit: true, yaw: ANGLES[1][0], pitch: ANGLES[1][1], moves: [], orbit: null, needsDrawing: false, isDrawing: false, isLoading: false, drawn: 0, last: 0, loads: 0,
};
let screen = null;

// The link's clip, time and direction hold for the first model.
const wishes = new URLSearchParams(location.search);
let hasWishes = true;

async function show(item, keeps = false) {
    const load = ++view.loads;
    view.isLoading = true;
    for (const other of state.items) other.card.removeAttribute('aria-current');
    item.card?.setAttribute('aria-current', 'true');
    try {
        const { info, camera } = await engine.request('show', { item: plain(item) });
        if (load !== view.loads) return;
        const isSame = keeps && view.item === item;
        view.isLoading = false;
        Object.assign(view, { item, info, isLost: false });
        if (!isSame) Object.assign(view, { clip: info.default_clip, seconds: 0, clock: 0, lod: 0, selected: -1, camera, fit: true, orbit: null, isPlaying: info.default_clip >= 0 });
        $('problem').hidden = true;
        document.body.classList.add('showing');
        document.body.classList.remove('failed');
        $('viewer').hidden = $('panel').hidden = $('back').hidden = false;
        document.title = `${lastName(item.path)} · sinew`;
        if (hasWishes) applyWishes();
        hasWishes = false;
        putModel();
        if (view.isDrawing) redraw();
        else await drawFrame();        // before anything else is asked of the worker
    } catch (error) {
        if (load !== view.loads) return;
        view.isLoading = false;
        document.body.classList.add('showing', 'failed');
        $('viewer').hidden = $('back').hidden = false;
        $('panel').hidden = true;
        Object.assign(view, { item: null, info: null });
        screen?.transferFromImageBitmap(null);
        putProblem(`${lastName(item.path)}: ${error.message}`);
        if (item.card && !item.error) {
            failCard(item, error.message);
            putStatus();
        }
    }
}

function applyWishes() {
    const number = (name) => (wishes.has(name) && Number.isFinite(Number(wishes.get(name))) ? Number(wishes.get(name)) : null);
    const clip = wishes.get('clip'), index = view.info.clips.findIndex((one) => one.name === clip);
    if (clip === 'rest') view.clip = -1;
    else if (index >= 0) view.clip = index;
    else if (clip !== null && number('clip') !== null && number('clip') < view.info.clip_count) view.clip = number('clip');
    const seconds = number('t');
    if (seconds !== null) Object.assign(view, { seconds: Math.min(Math.max(seconds, 0), duration()), clock: seconds, isPlaying: false });
    if (number('yaw') !== null) view.yaw = number('yaw') * Math.PI / 180;
    if (number('pitch') !== null) view.pitch = number('pitch') * Math.PI / 180;
}

function shareLink() {
    const url = new URL(location.href.split(/[?#]/)[0]), degrees = (angle) => String(Math.round(angle * 1800 / Math.PI) / 10);
    if (view.item.from) url.searchParams.set('model', view.item.from);
    if (view.item.from && view.item.isInside) url.searchParams.set('file', view.item.path);
    url.searchParams.set('clip', view.clip < 0 ? 'rest' : view.info.clips[view.clip].name);
    url.searchParams.set('t', view.seconds.toFixed(3));
    if (view.orbit) {
        url.searchParams.set('yaw', degrees(view.orbit[3]));
        url.searchParams.set('pitch', degrees(view.orbit[4]));
    }
    return url.href;
}

function putProblem(text) {
    $('problem').textContent = text;
    $('problem').hidden = false;
}

const duration = () => (view.clip >= 0 ? view.info.clips[view.clip].duration : 0);
const rate = () => (view.clip >= 0 ? view.info.clips[view.clip].rate : 30);
const frameCount = () => Math.max(0, Math.round(duration() * rate()));

function redraw() { view.needsDrawing = true; }

// The ratio of the stage's colour, from CSS: "rgb(48, 54, 61)".
function stageColor() {
    const [red, green, blue] = getComputedStyle($('stage')).backgroundColor.match(/[\d.]+/g).map(Number);
    return [red / 255, green / 255, blue / 255, 1];
}

// What the end of a looping clip shows is just before its first frame.
function sampleTime() {
    const clip = view.info.clips[view.clip];
    return clip && view.seconds >= clip.duration ? clip.duration * (1 - 1e-5) : view.seconds;
}

function viewRequest() {
    const { clip, lod, selected, camera, fit, yaw, pitch, clock } = view;
    return { clip, lod, selected, camera, fit, yaw, pitch, clock, show: view.show | (selected >= 0 ? SHOW.selection : 0), seconds: sampleTime(),
        background: stageColor(), moves: view.moves, orbit: fit ? null : view.orbit, top: coveredTop() };
}

// The fraction of the stage that the toolbar covers.
const coveredTop = () => Math.min(0.4, ($('toggles').offsetTop + $('toggles').offsetHeight) / ($('stage').clientHeight || 1));

function stageSize() {
    const { clientWidth, clientHeight } = $('stage'), ratio = Math.min(devicePixelRatio || 1, 2);
    return [Math.max(1, Math.round(clientWidth * ratio)), Math.max(1, Math.round(clientHeight * ratio))];
}

async function drawFrame() {
    const [width, height] = stageSize(), canvas = $('view'), { item, loads } = view;
    view.isDrawing = true;
    view.needsDrawing = false;
    try {
        if (view.isLost) {
            await engine.request('show', { item: plain(item) });
            view.isLost = false;
            view.fit = !view.orbit;
        }
        const request = viewRequest();
        Object.assign(view, { fit: false, moves: [] });
        const { bitmap, orbit } = await engine.request('frame', { view: request, width, height });
        if (view.loads === loads) view.orbit = orbit;
        Object.assign(canvas, { width, height });
        screen ??= canvas.getContext('bitmaprenderer');
        screen.transferFromImageBitmap(bitmap);
        view.drawn++;
        globalThis.firstFrame ??= performance.now();
    } catch (error) {
        if (view.loads === loads) {
            view.isPlaying = false;
            putProblem(error.message);
            putTime();
        }
    }
    view.isDrawing = false;
}

function tick(now) {
    const elapsed = Math.min((now - view.last) / 1000, 0.25);
    view.last = now;
    if (view.info && view.isPlaying) {
        const length = duration();
        view.clock += elapsed * view.speed;
        if (length > 0) view.seconds = (view.seconds + elapsed * view.speed) % length;
        redraw();
        putTime();
    }
    if (view.info && view.needsDrawing && !view.isDrawing && !view.isLoading) drawFrame();
    requestAnimationFrame(tick);
}

function setClip(clip) {
    Object.assign(view, { clip, seconds: 0, clock: 0, fit: true, yaw: view.orbit?.[3] ?? view.yaw, pitch: view.orbit?.[4] ?? view.pitch });
    if (clip < 0) view.isPlaying = false;
    putTimeline();
    markClip();
    redraw();
}

function setPlaying(isPlaying) {
    view.isPlaying = isPlaying && view.clip >= 0;
    putTime();
}

function seek(seconds) {
    view.seconds = view.clock = Math.min(Math.max(seconds, 0), duration());
    putTime();
    redraw();
}

// To the next whole frame; stops playing.
function step(frames) {
    if (!view.info) return;
    const at = Math.round(view.seconds * rate()) + frames, count = frameCount();
    setPlaying(false);
    seek(count > 0 ? ((at % (count + 1)) + count + 1) % (count + 1) / rate() : 0);
}

function setSpeed(speed) {
    view.speed = speed;
    $('speed').value = String(speed);
}

function select(node) {
    view.selected = node;
    if (node < 0) view.show &= ~SHOW.weights;
    putToggles();
    markNode();
    redraw();
}

function toggle(name) {
    view.show ^= SHOW[name];
    if (name === 'weights' && view.show & SHOW.weights && view.selected < 0 && view.info) {
        view.selected = Math.max(0, view.info.nodes.findIndex((node) => node.flags & 1));
        markNode();
    }
    if (name === 'names' && view.show & SHOW.names) view.show |= SHOW.bones;
    putToggles();
    redraw();
}

// Panels

const tabs = {};
let openTab = 'clips';

function putModel() {
    putTimeline();
    putToggles();
    putSelects();
    putTabs();
}

function putTabs() {
    const { info } = view, count = info.warnings.length;
    const list = [['clips', 'Clips'], ['tree', 'Tree'], ['materials', 'Materials'], ['warnings', count > 0 ? `Warnings (${count})` : 'Warnings'], ['info', 'Info'], ['export', 'Export']];
    const pages = { clips: clipsPage, tree: treePage, materials: materialsPage, warnings: warningsPage, info: infoPage, export: exportPage };
    $('tabs').replaceChildren();
    $('pages').replaceChildren();
    for (const [name, title] of list) {
        const button = make('button', { type: 'button', id: `tab-${name}`, textContent: title, role: 'tab', 'aria-controls': `page-${name}` });
        const page = make('div', { id: `page-${name}`, role: 'tabpanel', 'aria-labelledby': `tab-${name}`, hidden: true });
        tabs[name] = { button, page, fill: pages[name], isFilled: false };
        button.addEventListener('click', () => chooseTab(name));
        button.addEventListener('keydown', (event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (!step) return;
            event.preventDefault();
            event.stopPropagation();
            const names = list.map(([one]) => one), next = names[(names.indexOf(name) + step + names.length) % names.length];
            chooseTab(next);
            tabs[next].button.focus();
        });
        $('tabs').append(button);
        $('pages').append(page);
    }
    chooseTab(openTab);
}

function chooseTab(name) {
    openTab = name;
    for (const [other, tab] of Object.entries(tabs)) {
        const isOpen = other === name;
        tab.button.setAttribute('aria-selected', String(isOpen));
        tab.button.tabIndex = isOpen ? 0 : -1;
        tab.page.hidden = !isOpen;
        if (isOpen && !tab.isFilled) {
            tab.isFilled = true;
            tab.fill(tab.page);
        }
    }
}

function rowButton(text, note, action) {
    const button = make('button', { type: 'button', className: 'row' }, make('span', { textContent: text, title: text }), make('span', { className: 'quiet', textContent: note }));
    button.addEventListener('click', action);
    return button;
}

function clipsPage(page) {
    const list = make('ul', { id: 'clips' }), clips = view.info.clips;
    const add = (index, name, note) => {
        const button = rowButton(name, note, () => {
            setClip(index);
            setPlaying(index >= 0);
        });
        button.dataset.clip = String(index);
        list.append(make('li', {}, button));
    };
    add(-1, 'Rest pose', '');
    clips.forEach((clip, i) => add(i, clip.name || `clip ${i}`, `${clip.duration.toFixed(2)} s${clip.loops ? '' : ' · once'}`));
    page.append(list);
    if (clips.length === 0) page.append(make('p', { className: 'quiet', textContent: 'The model has no clips.' }));
    markClip();
}

function markClip() {
    for (const button of document.querySelectorAll('#clips button')) {
        if (Number(button.dataset.clip) === view.clip) button.setAttribute('aria-current', 'true');
        else button.removeAttribute('aria-current');
    }
}

// Depth first, with a limit: a page with a hundred thousand elements is slow.
function treePage(page) {
    const { nodes, parts, meshes } = view.info, children = nodes.map(() => []), roots = [], meshesOf = nodes.map(() => []), most = 3000;
    nodes.forEach((node, i) => (node.parent >= 0 ? children[node.parent] : roots).push(i));
    for (const part of parts) meshesOf[part.node].push(meshes[part.mesh].name || `mesh ${part.mesh}`);
    const list = make('ul', { id: 'tree', role: 'tree', 'aria-label': 'Nodes' }), stack = roots.reverse().map((node) => [node, 0]);
    let count = 0;
    while (stack.length > 0 && count < most) {
        const [index, depth] = stack.pop(), node = nodes[index];
        const note = node.flags & 1 ? 'bone' : meshesOf[index].length > 0 ? 'mesh' : node.flags & 2 ? 'attachment' : '';
        const button = rowButton(node.name || `node ${index}`, note, () => select(view.selected === index ? -1 : index));
        button.dataset.node = String(index);
        button.setAttribute('role', 'treeitem');
        button.setAttribute('aria-level', String(depth + 1));
        button.style.paddingLeft = `${0.5 + Math.min(depth, 16) * 0.75}rem`;
        list.append(make('li', { role: 'none' }, button));
        count++;
        for (const child of children[index].reverse()) stack.push([child, depth + 1]);
    }
    page.append(list);
    if (nodes.length > most) page.append(make('p', { className: 'quiet', textContent: `${nodes.length - most} more nodes` }));
    markNode();
}

function markNode() {
    for (const button of document.querySelectorAll('#tree button')) {
        const isSelected = Number(button.dataset.node) === view.selected;
        button.setAttribute('aria-selected', String(isSelected));
        if (isSelected) button.scrollIntoView({ block: 'nearest' });
    }
}

function materialsPage(page) {
    const { surfaces, images } = view.info, imageName = (i) => lastName(images[i].uri) || images[i].name || `image ${i}`;
    const list = make('ul', {});
    surfaces.forEach((material, i) => {
        const item = make('li', {}, make('h3', { textContent: material.name || `material ${i}` }));
        material.layers.forEach((layer, k) => {
            const maps = layer.maps.map((map) => `${map.map}: ${imageName(map.image)}`).join(', ') || 'no texture';
            const notes = [layer.blend, ...layer.flags, ...(layer.alpha_cutoff > 0 ? [`alpha test ${layer.alpha_cutoff.toFixed(2)}`] : [])];
            item.append(make('p', { textContent: material.layers.length > 1 ? `Layer ${k + 1}: ${maps}` : maps }), make('p', { className: 'quiet', textContent: notes.join(', ') }));
        });
        list.append(item);
    });
    page.append(list);
    if (images.length > 0) page.append(make('h3', { textContent: `Textures (${images.length})` }));
    const textures = make('div', { className: 'textures' });
    page.append(textures);
    putTextures(textures, images, imageName, view.item);
}

async function putTextures(place, images, imageName, item) {
    for (let i = 0; i < Math.min(images.length, 64); i++) {
        const image = images[i], figure = make('figure', {}), note = make('small', {});
        place.append(figure);
        figure.append(make('figcaption', {}, make('span', { textContent: imageName(i) }), make('br'), note));
        note.textContent = image.is_found ? `${image.width} × ${image.height} ${image.mime_type.replace(/image.(x-)?/, '')}` : 'not found';
        if (!image.is_found) continue;
        try {
            const { width, height, rgba } = await engine.request('texture', { index: i });
            if (view.item !== item) return;
            const canvas = make('canvas', { width, height, role: 'img', 'aria-label': imageName(i) });
            canvas.getContext('2d').putImageData(new ImageData(rgba, width, height), 0, 0);
            figure.prepend(canvas);
            if (!image.width) note.textContent = `${width} × ${height} ${image.mime_type.replace(/image.(x-)?/, '')}`;
        } catch (error) {
            note.textContent = error.message;
        }
        if (view.item !== item) return;
    }
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

function warningsPage(page) {
    const kinds = new Map(state.formats.warnings.map((kind) => [kind.code, kind])), { warnings, empty } = view.info;
    if (empty) page.append(make('p', { textContent: `Nothing is shown: ${empty}.` }));
    if (warnings.length === 0) page.append(make('p', { className: 'quiet', textContent: 'No warnings.' }));
    for (const warning of warnings.slice(0, 500)) {
        const kind = kinds.get(warning.code), count = warning.count > 1 ? ` (${warning.count} times)` : '';
        const place = [warning.path, warning.line ? `line ${warning.line}` : warning.offset ? `byte ${warning.offset}` : ''].filter(Boolean).join(', ');
        const finding = make('div', { className: `finding ${warning.level}` }, make('strong', { textContent: `${warning.name}${count}` }), make('p', { textContent: warning.message }));
        if (place) finding.append(make('p', {}, make('code', { textContent: place })));
        if (kind?.meaning) finding.append(make('p', { className: 'quiet', textContent: sentence(kind.meaning) }));
        if (kind?.advice) finding.append(make('p', { className: 'quiet', textContent: sentence(kind.advice) }));
        page.append(finding);
    }
}

function infoPage(page) {
    const { info, item } = view, list = make('dl', {});
    const put = (name, value) => list.append(make('dt', { textContent: name }), make('dd', { textContent: String(value) }));
    put('File', item.path);
    if (item.archive) put('Archive', item.archive);
    put('Format', state.formats.models.find((format) => format.name === info.format)?.title ?? info.format);
    if (info.name) put('Name', info.name);
    for (const [name, key] of [['Triangles', 'triangle_count'], ['Vertices', 'vertex_count'], ['Meshes', 'mesh_count'], ['Parts', 'part_count'], ['Nodes', 'node_count'],
        ['Skins', 'skin_count'], ['Clips', 'clip_count'], ['Materials', 'material_count'], ['Images', 'image_count'], ['Cameras', 'camera_count'], ['Lights', 'light_count'],
        ['Levels of detail', 'lod_count'], ['Effects not drawn', 'undrawn_effect_count']])
        if (info[key] > 0) put(name, info[key].toLocaleString('en'));
    const size = info.bounds.max.map((max, i) => (max - info.bounds.min[i]).toPrecision(4)).join(' × ');
    put('Size at rest', size);
    put('Up axis', info.up_axis);
    put('Hash', info.hash);
    page.append(list);
}

// Export

function exportPage(page) {
    const buttons = (title, note, list) => {
        const row = make('div', { className: 'buttons' });
        for (const [text, action] of list) {
            const button = make('button', { type: 'button', textContent: text });
            button.dataset.save = text;
            button.addEventListener('click', () => runExport(button, action));
            row.append(button);
        }
        page.append(make('h3', { textContent: title }), row);
        if (note) page.append(make('p', { className: 'quiet', textContent: note }));
    };
    const extensions = ['glb', 'gltf', 'mdx', 'mdl', 'w3d', 'mds', 'chr'];
    buttons('Model', 'Several files become one .zip.', extensions.map((extension) => [`.${extension}`, () => exportModel(extension)]));
    buttons('Picture', 'With a transparent background, as large as the view.', [['PNG', () => exportPicture('png')]]);
    buttons('Animation of the clip', 'At most 512 pixels wide.', [['APNG', () => exportPicture('apng')], ['GIF', () => exportPicture('gif')]]);
    buttons('Link', '', [['Copy link', copyLink]]);
    page.append(make('p', { className: 'quiet', id: 'export-note', role: 'status' }), make('div', { id: 'losses' }));
}

async function runExport(button, action) {
    const note = $('export-note');
    button.disabled = true;
    note.textContent = 'Working…';
    $('losses').replaceChildren();
    try {
        note.textContent = await action();
    } catch (error) {
        note.textContent = `Failed: ${error.message}`;
    }
    button.disabled = false;
}

function save(name, data, type = 'application/octet-stream') {
    const url = URL.createObjectURL(new Blob([data], { type })), link = make('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
}

const stem = () => lastName(view.item.path).replace(/\.[^.]*$/, '') || 'model';

async function exportModel(extension) {
    const { files, losses } = await engine.request('convert', { item: plain(view.item), extension, game: 'auto' }, 300);
    if (files.length === 1) save(files[0].name, files[0].data);
    else save(`${stem()}_${extension}.zip`, writeZip(files), 'application/zip');
    for (const loss of losses.slice(0, 200))
        $('losses').append(make('div', { className: `finding ${loss.level}` }, make('strong', { textContent: loss.name }), make('p', { textContent: loss.message })));
    const saved = files.length === 1 ? files[0].name : `${files.length} files in ${stem()}_${extension}.zip`;
    return losses.length > 0 ? `Saved ${saved}. The format cannot hold all of the model:` : `Saved ${saved}.`;
}

async function exportPicture(kind) {
    let [width, height] = stageSize();
    if (kind !== 'png' && width > 512) [width, height] = [512, Math.max(1, Math.round(512 * height / width))];
    const request = { ...viewRequest(), background: [0, 0, 0, 0], orbit: view.orbit };
    const { data } = await engine.request('picture', { view: request, width, height, kind, rate: kind === 'gif' ? 25 : 30 }, 300);
    const name = `${stem()}${view.clip >= 0 ? `_${view.info.clips[view.clip].name.replace(/[^\w-]+/g, '_')}` : ''}.${kind === 'apng' ? 'png' : kind}`;
    save(name, data, kind === 'gif' ? 'image/gif' : 'image/png');
    redraw();
    return `Saved ${name}.`;
}

async function copyLink() {
    const link = shareLink();
    try {
        history.replaceState(null, '', link);
    } catch {
        // A page that was opened from a file keeps its address.
    }
    try {
        await navigator.clipboard.writeText(link);
        return 'The link is copied.';
    } catch {
        return link;
    }
}

// Stored entries only.
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

// Toolbar and timeline

function putToggles() {
    for (const button of document.querySelectorAll('#toggles button[data-show]'))
        button.setAttribute('aria-pressed', String(Boolean(view.show & SHOW[button.dataset.show])));
}

function fillSelect(id, options, value) {
    const element = $(id);
    element.replaceChildren(...options.map(([text, number]) => make('option', { textContent: text, value: String(number) })));
    element.value = String(value);
    element.hidden = options.length < 2;
}

function putSelects() {
    const { info } = view, range = (count) => Array.from({ length: count }, (_, i) => i);
    fillSelect('lod', range(info.lod_count).map((i) => [`Detail ${i}`, i]), view.lod);
    fillSelect('camera', [['Orbit', -1], ...range(info.camera_count).map((i) => [`Camera ${i + 1}`, i])], view.camera);
    fillSelect('team', info.format === 'mdx' ? TEAMS.map((name, i) => [`Team: ${name}`, i]) : [], view.team);
}

function putTimeline() {
    const time = $('time');
    time.max = String(duration() || 1);
    time.step = duration() > 0 ? String(1 / rate()) : 'any';
    for (const id of ['time', 'play', 'previous', 'next']) $(id).disabled = duration() === 0;
    putTime();
}

function putTime() {
    $('time').value = String(view.seconds);
    $('clock').value = view.info && duration() > 0 ? `${view.seconds.toFixed(2)} s` : 'at rest';
    $('frames').value = view.info && duration() > 0 ? `frame ${Math.round(view.seconds * rate())}/${frameCount()}` : '';
    $('play').textContent = view.isPlaying ? '❚❚' : '▶';
    $('play').setAttribute('aria-label', view.isPlaying ? 'Pause' : 'Play');
}

function nextItem(step) {
    const good = state.items.filter((item) => !item.error && !item.place.hidden), at = good.indexOf(view.item);
    if (good.length > 0) show(good[(at + step + good.length) % good.length]);
}

function nextClip(step) {
    const count = view.info.clip_count + 1;
    setClip((view.clip + 1 + step + count) % count - 1);
    setPlaying(true);
}

function setAngles([yaw, pitch]) {
    Object.assign(view, { yaw, pitch, fit: true, camera: -1 });
    putSelects();
    redraw();
}

function closeModel() {
    document.body.classList.remove('showing');
    $('viewer').hidden = $('panel').hidden = $('back').hidden = true;
    Object.assign(view, { item: null, info: null });
    view.loads++;
    for (const item of state.items) item.card.removeAttribute('aria-current');
    document.title = 'sinew';
    engine.request('drop').catch(() => {});
}

const KEYS = [
    [' ', 'Space', 'play or pause', () => setPlaying(!view.isPlaying)],
    ['ArrowRight', 'Right', 'next frame', () => step(1)],
    ['ArrowLeft', 'Left', 'previous frame', () => step(-1)],
    ['Home', 'Home', 'first frame', () => seek(0)],
    ['End', 'End', 'last frame', () => seek(duration())],
    ['ArrowDown', 'Down', 'next clip', () => nextClip(1)],
    ['ArrowUp', 'Up', 'previous clip', () => nextClip(-1)],
    ['+', '+', 'faster', () => setSpeed(SPEEDS[Math.min(SPEEDS.indexOf(view.speed) + 1, SPEEDS.length - 1)])],
    ['-', '-', 'slower', () => setSpeed(SPEEDS[Math.max(SPEEDS.indexOf(view.speed) - 1, 0)])],
    ['Backspace', 'Backspace', 'normal speed', () => setSpeed(1)],
    ['PageDown', 'Page Down', 'next file', () => nextItem(1)],
    ['PageUp', 'Page Up', 'previous file', () => nextItem(-1)],
    ['f', 'F', 'fit the clip to the view', () => setAngles([view.orbit?.[3] ?? view.yaw, view.orbit?.[4] ?? view.pitch])],
    ...Object.entries({ 1: 'three-quarter view', 2: 'front', 3: 'back', 4: 'left', 5: 'right', 6: 'top', 7: 'bottom' }).map(([key, text]) => [key, key, text, () => setAngles(ANGLES[key])]),
    ...TOGGLES.map(([name, title, key]) => [key, key.toUpperCase(), title.toLowerCase(), () => toggle(name)]),
    ['Escape', 'Escape', 'clear the selection, then close the model', () => (view.selected >= 0 ? select(-1) : closeModel())],
];

function handleKey(event) {
    const target = event.target, isField = target.matches?.('input[type="search"], select, textarea, dialog *');
    if (event.ctrlKey || event.altKey || event.metaKey || isField || $('keys').open) return;
    if (event.key === 'h' || event.key === '?') return $('keys').showModal();
    if (!view.info || (target.matches?.('button') && (event.key === ' ' || event.key === 'Enter'))) return;
    if (target.id === 'time' && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    const row = KEYS.find(([key]) => key === event.key || key === event.key.toLowerCase() || (key === '+' && event.key === '='));
    if (!row) return;
    event.preventDefault();
    row[3]();
}

// Mouse and touch: one finger rotates, two pan and zoom.
const pointers = new Map();
let wasDragged = false;

function handlePointers() {
    const canvas = $('view');
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('pointerdown', (event) => {
        canvas.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, event);
        wasDragged = false;
    });
    canvas.addEventListener('pointermove', (event) => {
        const before = pointers.get(event.pointerId);
        if (!before || !view.info) return;
        const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY, height = canvas.clientHeight;
        if (Math.hypot(dx, dy) < 1) return;
        if (Math.hypot(dx, dy) > 2) wasDragged = true;
        if (pointers.size === 2) {
            const other = [...pointers.values()].find((one) => one.pointerId !== event.pointerId);
            const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
            view.moves.push(['zoom', Math.log(apart(event) / apart(before)) / -Math.log(0.88), 0], ['pan', dx / height / 2, dy / height / 2]);
        } else if (event.buttons & 6 || event.shiftKey) view.moves.push(['pan', dx / height, dy / height]);
        else view.moves.push(['rotate', -dx / height * Math.PI, dy / height * Math.PI]);
        pointers.set(event.pointerId, event);
        view.camera = -1;
        redraw();
    });
    const end = (event) => pointers.delete(event.pointerId);
    canvas.addEventListener('pointerup', (event) => {
        end(event);
        if (!wasDragged && view.info && event.button === 0) pickAt(event).catch(() => {});
    });
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('wheel', (event) => {
        event.preventDefault();
        view.moves.push(['zoom', -event.deltaY / (event.deltaMode === 1 ? 3 : 100), 0]);
        redraw();
    }, { passive: false });
}

async function pickAt(event) {
    const [width, height] = stageSize(), ratio = width / $('view').clientWidth;
    const { loads } = view, { node } = await engine.request('pick', { x: event.offsetX * ratio, y: event.offsetY * ratio, width, height });
    if (view.loads !== loads || !view.info) return;
    select(node);
    if (node >= 0 && openTab !== 'tree') $('status').textContent = `selected: ${view.info.nodes[node].name || `node ${node}`}`;
}

function handleDrops() {
    let depth = 0;
    const setHint = (isOn) => document.body.classList.toggle('dropping', isOn);
    addEventListener('dragenter', (event) => { event.preventDefault(); depth++; setHint(true); });
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('dragleave', () => { depth = Math.max(0, depth - 1); setHint(depth > 0); });
    addEventListener('drop', async (event) => {
        event.preventDefault();
        depth = 0;
        setHint(false);
        document.body.dataset.busy = 'true';
        open(await filesOfDrop(event.dataTransfer));
    });
    const choose = (input) => {
        open([...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
        input.value = '';
    };
    $('open-files').addEventListener('click', () => $('files').click());
    $('open-folder').addEventListener('click', () => $('folder').click());
    $('files').addEventListener('change', () => choose($('files')));
    $('folder').addEventListener('change', () => choose($('folder')));
}

// ?model=: from the page's own origin only; the Content-Security-Policy refuses others.
async function openLink() {
    const wanted = wishes.get('model');
    if (!wanted) return;
    try {
        const url = new URL(wanted, location.href);
        if (url.origin !== location.origin || location.protocol === 'file:') throw new Error('a link opens models from the same server only');
        const response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer' });
        if (!response.ok) throw new Error(`the server answers ${response.status}`);
        const path = decodeURIComponent(lastName(url.pathname)) || 'model', first = state.items.length;
        await open([{ path, file: await response.blob() }]);
        for (const item of state.items.slice(first)) Object.assign(item, { from: wanted, isInside: item.path !== path });
        const inside = wishes.get('file');
        const item = state.items.find((one) => one.path === inside);
        if (item) await show(item);
    } catch (error) {
        document.body.classList.remove('empty');
        addItems([{ drop: -1, path: wanted, archive: null, error: error.message }]);
    }
}

function start() {
    for (const [name, title, key] of TOGGLES) {
        const button = make('button', { type: 'button', textContent: title, title: `${title} (${key.toUpperCase()})`, 'aria-pressed': 'false' });
        button.dataset.show = name;
        button.addEventListener('click', () => toggle(name));
        $('toggles').append(button);
    }
    for (const [id, label] of [['lod', 'Level of detail'], ['camera', 'Camera'], ['team', 'Team colour']]) {
        const element = make('select', { id, 'aria-label': label, hidden: true });
        $('toggles').append(element);
        element.addEventListener('change', () => {
            view[id] = Number(element.value);
            if (id === 'team') show(view.item, true);
            redraw();
        });
    }
    $('speed').append(...SPEEDS.map((speed) => make('option', { value: String(speed), textContent: speed < 1 ? `1/${1 / speed}` : `${speed}×` })));
    setSpeed(1);
    $('speed').addEventListener('change', () => { view.speed = Number($('speed').value); });
    $('play').addEventListener('click', () => setPlaying(!view.isPlaying));
    $('previous').addEventListener('click', () => step(-1));
    $('next').addEventListener('click', () => step(1));
    $('time').addEventListener('input', () => {
        setPlaying(false);
        seek(Number($('time').value));
    });
    $('search').addEventListener('input', filterCards);
    $('errors-only').addEventListener('change', filterCards);
    $('back').addEventListener('click', closeModel);
    $('help').addEventListener('click', () => $('keys').showModal());
    for (const [, name, text] of KEYS) $('key-list').append(make('dt', { textContent: name }), make('dd', { textContent: text }));
    addEventListener('keydown', handleKey);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
    new ResizeObserver(redraw).observe($('stage'));
    handlePointers();
    handleDrops();
    requestAnimationFrame(tick);
    engine.ready ??= engine.start();
    engine.ready.then(() => {
        engine.request('warm').catch(() => {});
        return openLink();
    }, (error) => {
        document.body.classList.remove('empty');
        addItems([{ drop: -1, path: 'sinew', archive: null, error: `the module cannot start: ${error.message}` }]);
    });
}
start();
