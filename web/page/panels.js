// The panel beside the model: clips, tree, materials, warnings, information.
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
        const page = make('div', { id: `page-${name}`, role: 'tabpanel', 'aria-labelledby': `tab-${name}`, tabIndex: 0, hidden: true });
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
        button.tabIndex = -1;
        button.style.paddingLeft = `${0.5 + Math.min(depth, 16) * 0.75}rem`;
        list.append(make('li', { role: 'none' }, button));
        count++;
        for (const child of children[index].reverse()) stack.push([child, depth + 1]);
    }
    // One stop of Tab; arrow keys go through the nodes and select them, so that weights can be looked at one after the other.
    list.addEventListener('keydown', (event) => {
        const rows = [...list.querySelectorAll('button')], at = rows.indexOf(event.target);
        const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
        if (event.shiftKey || at < 0 || next === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        if (!rows[next]) return;
        select(Number(rows[next].dataset.node));
        rows[next].focus();
    });
    page.append(list);
    if (nodes.length > most) page.append(make('p', { className: 'quiet', textContent: `${nodes.length - most} more nodes` }));
    markNode();
}

function markNode() {
    for (const [i, button] of document.querySelectorAll('#tree button').entries()) {
        const isSelected = Number(button.dataset.node) === view.selected;
        button.setAttribute('aria-selected', String(isSelected));
        button.tabIndex = isSelected || (view.selected < 0 && i === 0) ? 0 : -1;
        if (isSelected) button.scrollIntoView({ block: 'nearest' });
    }
}

function materialsPage(page) {
    const { surfaces, images } = view.info, imageName = (i) => lastName(images[i].uri) || images[i].name || `image ${i}`;
    const list = make('ul', {});
    surfaces.forEach((material, i) => {
        const item = make('li', {}, make('h2', { textContent: material.name || `material ${i}` }));
        material.layers.forEach((layer, k) => {
            const maps = layer.maps.map((map) => `${map.map}: ${imageName(map.image)}`).join(', ') || 'no texture';
            const notes = [layer.blend, ...layer.flags, ...(layer.alpha_cutoff > 0 ? [`alpha test ${layer.alpha_cutoff.toFixed(2)}`] : [])];
            item.append(make('p', { textContent: material.layers.length > 1 ? `Layer ${k + 1}: ${maps}` : maps }), make('p', { className: 'quiet', textContent: notes.join(', ') }));
        });
        list.append(item);
    });
    page.append(list);
    if (images.length > 0) page.append(make('h2', { textContent: `Textures (${images.length})` }));
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

// The library's advice is for the tool.
const adviceFor = (kind) => (/^(put the file|name the folder)/.test(kind.advice) ? 'drop the missing file, its folder or its archive on this page too' : kind.advice);
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
        if (kind?.advice) finding.append(make('p', { className: 'quiet', textContent: sentence(adviceFor(kind)) }));
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
