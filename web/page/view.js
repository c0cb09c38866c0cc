// The model that is shown: loading, time, camera, pictures.
const view = {
    item: null, info: null, lacksFiles: false, isLost: false, clip: -1, seconds: 0, clock: 0, lod: 0, team: 0, camera: -1, selected: -1, show: 0, speed: 1, isPlaying: false,
    wanted: null, fit: true, yaw: ANGLES[1][0], pitch: ANGLES[1][1], moves: [], orbit: null, needsDrawing: false, isDrawing: false, isLoading: false, drawn: 0, last: 0, loads: 0,
};
let screen = null;

// The link's clip, time and direction hold for the first model.
const wishes = new URLSearchParams(location.search);
let hasWishes = true;

async function show(item, keeps = false) {
    const load = ++view.loads;
    Object.assign(view, { wanted: item, isLoading: true });
    for (const other of state.items) other.card.removeAttribute('aria-current');
    item.card?.setAttribute('aria-current', 'true');
    try {
        const { info, lacksFiles, camera } = await engine.request('show', { item: plain(item) });
        if (load !== view.loads) return;
        const isSame = keeps && view.item === item;
        view.isLoading = false;
        Object.assign(view, { item, info, lacksFiles, isLost: false });
        if (!isSame) Object.assign(view, { clip: info.default_clip, seconds: 0, clock: 0, lod: 0, selected: -1, camera, fit: true, orbit: null, isPlaying: info.default_clip >= 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches });
        $('problem').hidden = true;
        document.body.classList.add('showing');
        document.body.classList.remove('failed');
        $('viewer').hidden = $('panel').hidden = $('back').hidden = false;
        document.title = `${lastName(item.path)} · sinew`;
        if (hasWishes) applyWishes();
        hasWishes = false;
        putModel();
        if (document.activeElement === item.card) $('view').focus();        // keys are for the model now
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
    const number = (name) => (wishes.get(name)?.trim() && Number.isFinite(Number(wishes.get(name))) ? Number(wishes.get(name)) : null);
    const clip = wishes.get('clip'), index = view.info.clips.findIndex((one) => one.name === clip);
    if (clip === 'rest') Object.assign(view, { clip: -1, isPlaying: false });
    else if (index >= 0) view.clip = index;
    else if (view.info.clips[number('clip')]) view.clip = number('clip');
    const seconds = number('t');
    if (seconds !== null) Object.assign(view, { seconds: Math.min(Math.max(seconds, 0), duration()), clock: seconds, isPlaying: false });
    if (number('yaw') !== null) view.yaw = number('yaw') * Math.PI / 180;
    if (number('pitch') !== null) view.pitch = number('pitch') * Math.PI / 180;
}

function shareLink() {
    const url = new URL(location.href.split(/[?#]/)[0]), degrees = (angle) => String(Math.round(angle * 1800 / Math.PI) / 10);
    if (view.item.from) url.searchParams.set('model', view.item.from);
    if (view.item.from && view.item.isInside) url.searchParams.set('file', view.item.path);
    // By name, where that names no other clip and not the rest pose.
    const { clips } = view.info, name = clips[view.clip]?.name ?? 'rest';
    const isName = view.clip < 0 || (name && name !== 'rest' && clips.findIndex((clip) => clip.name === name) === view.clip);
    url.searchParams.set('clip', isName ? name : String(view.clip));
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
