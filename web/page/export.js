// Saving models, pictures and animations; links.
function exportPage(page) {
    const buttons = (title, note, list) => {
        const row = make('div', { className: 'buttons' });
        for (const [text, action] of list) {
            const button = make('button', { type: 'button', textContent: text });
            button.dataset.save = text;
            button.addEventListener('click', () => runExport(button, action));
            row.append(button);
        }
        page.append(make('h2', { textContent: title }), row);
        if (note) page.append(make('p', { className: 'quiet', textContent: note }));
    };
    const extensions = ['glb', 'gltf', 'mdx', 'mdl', 'w3d', 'mds', 'chr'], games = { auto: 'usual', war3: 'Warcraft III', reforged: 'Warcraft III: Reforged',
        generals: 'Generals', bfme: 'The Battle for Middle-earth', 'dark-cloud': 'Dark Cloud', 'dark-cloud-2': 'Dark Cloud 2' };
    const game = make('select', { id: 'game' });
    game.append(...Object.entries(games).map(([value, textContent]) => make('option', { value, textContent })));
    buttons('Model', 'Several files become one .zip.', extensions.map((extension) => [`.${extension}`, () => exportModel(extension)]));
    page.append(make('p', {}, make('label', { for: 'game', textContent: 'For the game: ' }), game));
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

// The chosen game, where it has this format.
function gameFor(extension) {
    const formats = { war3: ['mdx', 'mdl'], reforged: ['mdx', 'mdl'], generals: ['w3d'], bfme: ['w3d'], 'dark-cloud': ['mds', 'chr'], 'dark-cloud-2': ['mds', 'chr'] };
    return formats[$('game').value]?.includes(extension) ? $('game').value : 'auto';
}

async function exportModel(extension) {
    const { files, losses } = await engine.request('convert', { item: plain(view.item), extension, game: gameFor(extension) }, 300);
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
    const clip = view.clip >= 0 ? `_${(view.info.clips[view.clip].name || String(view.clip)).replace(/[^\w-]+/g, '_')}` : '';
    const time = clip && kind === 'png' ? `_${request.seconds.toFixed(2)}s` : '', name = `${stem()}${clip}${time}.${kind === 'apng' ? 'png' : kind}`;
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
