// Toolbar, timeline, keys, mouse, drops; starts the page.
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
    fillSelect('lod', range(info.lod_count).map((i) => [`Detail: ${i === 0 ? 'finest' : i === info.lod_count - 1 ? 'coarsest' : `${i + 1} of ${info.lod_count}`}`, i]), view.lod);
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

// Past files that cannot be shown. After one of these it goes on from there.
function nextItem(step) {
    const files = state.items.filter((item) => item === view.wanted || (!item.error && !item.place.hidden)), at = files.indexOf(view.wanted);
    if (files.length > 0) show(files[(at + step + files.length) % files.length]);
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
    view.wanted?.card?.focus();
}

// The keyboard's drag and wheel.
function move(...by) {
    view.moves.push(by);
    view.camera = -1;
    putSelects();
    redraw();
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
    ['Shift+ArrowLeft', 'Shift + arrows', 'rotate', () => move('rotate', Math.PI / 12, 0)],
    ['Shift+ArrowRight', '', '', () => move('rotate', -Math.PI / 12, 0)],
    ['Shift+ArrowUp', '', '', () => move('rotate', 0, Math.PI / 12)],
    ['Shift+ArrowDown', '', '', () => move('rotate', 0, -Math.PI / 12)],
    ['Shift+PageUp', 'Shift + Page Up, Down', 'zoom', () => move('zoom', 1, 0)],
    ['Shift+PageDown', '', '', () => move('zoom', -1, 0)],
    ['f', 'F', 'fit the clip to the view', () => setAngles([view.orbit?.[3] ?? view.yaw, view.orbit?.[4] ?? view.pitch])],
    ...Object.entries({ 1: 'three-quarter view', 2: 'front', 3: 'back', 4: 'left', 5: 'right', 6: 'top', 7: 'bottom' }).map(([key, text]) => [key, key, text, () => setAngles(ANGLES[key])]),
    ...TOGGLES.map(([name, title, key]) => [key, key.toUpperCase(), title.toLowerCase(), () => toggle(name)]),
    ['Escape', 'Escape', 'clear the selection, then close the model', () => (view.selected >= 0 ? select(-1) : closeModel())],
];

function handleKey(event) {
    const target = event.target, isField = target.matches?.('input[type="search"], input[type="checkbox"], select, textarea, dialog *');
    if (event.ctrlKey || event.altKey || event.metaKey || isField || $('keys').open) return;
    if (event.key === 'h' || event.key === '?') return $('keys').showModal();
    if (target.matches?.('button') && (event.key === ' ' || event.key === 'Enter')) return;
    if (target.id === 'time' && !event.shiftKey && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    const name = event.shiftKey && /^(Arrow|Page)/.test(event.key) ? `Shift+${event.key}` : event.key;
    const row = KEYS.find(([key]) => key === name || key === name.toLowerCase() || (key === '+' && name === '='));
    // A file that cannot be shown can be left.
    if (!row || !(view.info || (document.body.classList.contains('failed') && /^(Page|Escape)/.test(name)))) return;
    event.preventDefault();
    row[3]();
}

// After a click with the mouse or a finger the keys are for the model: Space plays, and does not click again.
function handleFocus() {
    addEventListener('click', ({ detail, target }) => {
        if (detail > 0 && !$('viewer').hidden && target.closest?.('#viewer button, #clips button')) $('view').focus({ preventScroll: true });
    });
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
        try {
            open(await filesOfDrop(event.dataTransfer));
        } catch (error) {
            addItems([{ drop: -1, path: 'drop', archive: null, error: `the browser cannot read it: ${error.message}` }]);
        }
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
        if (!response.ok) throw new Error(`the server returns status ${response.status}`);
        const path = decodeURIComponent(lastName(url.pathname)) || 'model', first = state.items.length;
        await open([{ path, file: await response.blob() }]);
        for (const item of state.items.slice(first)) Object.assign(item, { from: wanted, isInside: item.path !== path });
        const inside = wishes.get('file');
        const item = state.items.find((one) => one.path === inside);
        if (item) await show(item);
    } catch (error) {
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
    $('close-all').addEventListener('click', closeAll);
    $('help').addEventListener('click', () => $('keys').showModal());
    for (const [, name, text] of KEYS.filter((row) => row[1])) $('key-list').append(make('div', {}, make('dt', { textContent: name }), make('dd', { textContent: text })));
    addEventListener('keydown', handleKey);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
    new ResizeObserver(redraw).observe($('stage'));
    handlePointers();
    handleFocus();
    handleDrops();
    requestAnimationFrame(tick);
    engine.ready ??= engine.start();
    engine.ready.then(() => {
        engine.request('warm').catch(() => {});
        return openLink();
    }, (error) => {
        addItems([{ drop: -1, path: 'sinew', archive: null, error: `the module cannot start: ${error.message}` }]);
    });
}
start();
