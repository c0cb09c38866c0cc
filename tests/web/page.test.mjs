// The page in a real browser: what is dropped is shown, played, exported, and nothing leaves the machine.
//
//     SINEW_TOOL=build/release/sinew node --test tests/web/page.test.mjs
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';
import { differenceOfBlocks, makeBig, makeZip, readPng, readStoredZip } from './archives.mjs';
import { drawn, drop, exportFile, html, idle, launch, openPage, project, sample, samples, serve, shown, tool, until } from './browser.mjs';

const browser = await launch();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sinew-page-'));
const noTool = fs.existsSync(tool) ? false : `${tool} is not built`;
after(async () => {
    await browser.close();
    fs.rmSync(folder, { recursive: true });
});

// Runs the test with a fresh page, then asserts that it made no request and reported no problem.
async function withPage(use, address = pathToFileURL(html).href, options = {}) {
    const opened = await openPage(browser, address, options);
    try {
        await use(opened.page, opened);
        assert.deepEqual(opened.problems, []);
        assert.deepEqual(opened.requests, [address, ...(opened.expected ?? [])]);
    } finally {
        await opened.context.close();
    }
}
const items = (page) => page.evaluate(() => state.items.map(({ path: name, archive, error, summary }) => ({ name, archive, error, hash: summary?.hash })));
const native = (...args) => execFileSync(tool, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
const hashes = (files) => new Map(files.map((file) => [path.basename(file), JSON.parse(native('info', '--json', file)).hash]));

const hasProgram = (name) => (process.env.PATH ?? '').split(':').some((place) => fs.existsSync(path.join(place, name)));

test('the page is small', () => {
    const page = fs.readFileSync(html);
    console.log(`sinew.html: ${page.length} bytes, ${zlib.gzipSync(page, { level: 9 }).length} with gzip`);
    assert.ok(page.length <= 1.2e6, `${page.length} bytes`);
    assert.ok(zlib.gzipSync(page, { level: 9 }).length <= 7e5);
});

test('its policy allows no other server, and no script but its own', () => {
    const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(fs.readFileSync(html, 'utf8'));
    assert.match(policy, /^default-src 'none';/);
    assert.match(policy, /connect-src 'self'/);
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|https?:/);
});

for (const from of ['a file', 'a server']) {
    test(`from ${from}: all samples appear, each as the tool loads it`, { skip: noTool }, async () => {
        const server = from === 'a server' ? await serve() : null;
        await withPage(async (page) => {
            await drop(page, samples());
            await idle(page);
            const found = await items(page);
            assert.deepEqual(found.filter((item) => item.error), []);
            assert.ok(found.length >= 20);
            // The tool draws with tangents, which change the hash only of models with normal maps.
            const models = found.filter((item) => !item.archive && !['golem.mdx', 'serpent.w3d'].includes(item.name)), expected = hashes(models.map((item) => sample(item.name)));
            for (const item of models) assert.equal(item.hash, expected.get(item.name), item.name);
            assert.deepEqual(found.filter((item) => item.archive).map((item) => `${item.archive}: ${item.name}`), ['disc.dat: chara/arm.glb', 'disc.dat: chara/face.glb']);
            // Both are also beside the archive.
            assert.deepEqual(await page.locator('.card .folder').allTextContents(), ['disc.dat: chara', 'disc.dat: chara']);
        }, server?.url);
        server?.close();
    });
}

test('a folder, a .zip and a .big appear as their files', async () => {
    const hound = { 'Units/hound.mdx': fs.readFileSync(sample('hound.mdx')), 'Textures/hound.blp': fs.readFileSync(sample('hound.blp')), 'glow.blp': fs.readFileSync(sample('glow.blp')) };
    const tank = { 'Art\\W3D\\tank.w3d': fs.readFileSync(sample('tank.w3d')), 'Art\\Textures\\tank.tga': fs.readFileSync(sample('tank.tga')) };
    await withPage(async (page) => {
        await page.setInputFiles('#folder', path.join(project, 'samples/kobold'));
        await until(page, () => state.items.length > 0);
        await idle(page);
        const kobolds = (await items(page)).map((item) => item.name);
        assert.ok(['kobold/kobold.glb', 'kobold/kobold.mdx', 'kobold/kobold.w3d', 'kobold/kobold.chr'].every((name) => kobolds.includes(name)), kobolds.join(' '));
        await drop(page, [{ name: 'beast.zip', data: makeZip(hound) }, { name: 'tank.big', data: makeBig(tank) }]);
        await idle(page);
        const found = await items(page);
        assert.deepEqual(found.filter((item) => item.error), []);
        assert.ok(found.some((item) => item.name === 'beast.zip/Units/hound.mdx'));
        assert.ok(found.some((item) => item.archive === 'tank.big' && item.name.endsWith('tank.w3d')));
        // Textures are found in the archives: no model has a missing image.
        for (const name of ['hound.mdx', 'tank.w3d']) {
            await page.click(`.card:has-text("${name}")`);
            await shown(page, name);
            assert.deepEqual(await page.evaluate(() => view.info.images.filter((image) => !image.is_found && image.uri).map((image) => image.uri)), [], name);
        }
    });
});

// Chromium gives a test no way to drag a folder: entries of the kind that a drag has, with more than one batch of a listing.
test('a folder that is dragged is read with all below it', async () => {
    await withPage(async (page) => {
        await until(page, () => Boolean(state.formats));
        await page.evaluate(async (text) => {
            const data = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
            const file = (name) => ({ isFile: true, name, file: (done) => done(new File([data], name)) });
            const folder = (name, ...children) => ({
                isFile: false, name,
                createReader: () => { const batches = [children.slice(0, 2), children.slice(2), []]; return { readEntries: (done) => done(batches.shift()) }; },
            });
            const entry = folder('mod', file('a.glb'), folder('units', file('b.glb'), folder('deep', file('c.glb'))), file('d.glb'), file('.hidden.glb'));
            await open(await filesOfDrop({ items: [{ kind: 'file', webkitGetAsEntry: () => entry }] }));
        }, fs.readFileSync(sample('arm.glb')).toString('base64'));
        await idle(page);
        assert.deepEqual((await items(page)).map(({ name, error }) => [name, error]),
            [['mod/a.glb', undefined], ['mod/units/b.glb', undefined], ['mod/units/deep/c.glb', undefined], ['mod/d.glb', undefined]]);
    });
});

test('a disc image appears as its models', { skip: hasProgram('genisoimage') ? false : 'genisoimage is not installed' }, async () => {
    const disc = path.join(folder, 'disc'), image = path.join(folder, 'disc.iso');
    fs.mkdirSync(disc);
    for (const name of ['rabbit.chr', 'arm.glb']) fs.copyFileSync(sample(name), path.join(disc, name));
    execFileSync('genisoimage', ['-quiet', '-J', '-r', '-o', image, disc], { stdio: 'ignore' });
    await withPage(async (page) => {
        await drop(page, [image]);
        await idle(page);
        assert.deepEqual((await items(page)).map(({ name, archive, error }) => [archive, name.toLowerCase(), error]),
            [['disc.iso', 'arm.glb', undefined], ['disc.iso', 'rabbit.chr', undefined]]);
    });
});

const makeMpq = path.resolve(process.env.SINEW_MAKE_MPQ ?? path.join(project, 'build/release/tests/make_mpq'));
test('a map of Warcraft III appears as its models', { skip: fs.existsSync(makeMpq) ? false : `${makeMpq} is not built` }, async () => {
    const map = path.join(folder, 'map.w3x');
    execFileSync(makeMpq, [map, 'war3mapImported\\hound.mdx', sample('hound.mdx'), 'hound.blp', sample('hound.blp')]);
    await withPage(async (page) => {
        await drop(page, [map]);
        await idle(page);
        assert.deepEqual((await items(page)).map(({ name, archive, error }) => ({ name, archive, error })),
            [{ name: 'war3mapImported/hound.mdx', archive: 'map.w3x', error: undefined }]);
        await shown(page, 'hound.mdx');
    });
});

test('clips play, and keys work', async () => {
    await withPage(async (page) => {
        await drop(page, [sample('hound.mdx'), sample('hound.blp')]);
        await shown(page, 'hound.mdx');
        const get = () => page.evaluate(() => ({ clip: view.clip, seconds: view.seconds, isPlaying: view.isPlaying, show: view.show, speed: view.speed, yaw: view.orbit[3] }));
        assert.equal((await get()).isPlaying, true);
        await page.focus('#view');
        await page.keyboard.press('Space');
        assert.equal((await get()).isPlaying, false);
        await page.keyboard.press('Home');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        const { rate, count } = await page.evaluate(() => ({ rate: rate(), count: frameCount() }));
        assert.ok(Math.abs((await get()).seconds - 2 / rate) < 1e-6);
        await page.keyboard.press('ArrowLeft');
        assert.ok(Math.abs((await get()).seconds - 1 / rate) < 1e-6);
        await page.keyboard.press('End');
        assert.ok(Math.abs((await get()).seconds - count / rate) < 1e-3);
        const { clip } = await get();
        await page.keyboard.press('ArrowDown');
        assert.equal((await get()).clip, clip + 1);
        assert.equal(await page.getAttribute(`#clips button[data-clip="${clip + 1}"]`, 'aria-current'), 'true');
        await page.keyboard.press('+');
        assert.equal((await get()).speed, 2);
        await page.keyboard.press('Backspace');
        assert.equal((await get()).speed, 1);
        for (const [key, bit] of [['b', 1], ['w', 16], ['g', 256], ['d', 512], ['t', 1024]]) {
            const before = (await get()).show;
            await page.keyboard.press(key);
            assert.equal((await get()).show, before ^ bit, key);
        }
        await page.keyboard.press('2');
        await drawn(page);
        assert.ok(Math.abs((await get()).yaw) < 1e-6);
        const box = await page.locator('#view').boundingBox();
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width / 2 + 100, box.y + box.height / 2, { steps: 3 });
        await page.mouse.up();
        await drawn(page);
        assert.ok(Math.abs((await get()).yaw) > 0.2);
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        await until(page, () => view.selected >= 0);
        await page.keyboard.press('e');
        assert.ok((await get()).show & 64);
        await drawn(page);
    });
});

test('nothing moves by itself where the system asks for less motion', async () => {
    await withPage(async (page) => {
        await drop(page, [sample('hound.mdx')]);
        await shown(page, 'hound.mdx');
        assert.deepEqual(await page.evaluate(() => [view.clip >= 0, view.isPlaying]), [true, false]);
        await page.keyboard.press('Space');
        assert.equal(await page.evaluate(() => view.isPlaying), true);
    }, pathToFileURL(html).href, { reducedMotion: 'reduce' });
});

test('tree, materials, warnings and information are listed', async () => {
    await withPage(async (page) => {
        await drop(page, [sample('hound.mdx')]);
        await shown(page, 'hound.mdx');
        await page.click('#tab-tree');
        assert.equal(await page.locator('#tree button').count(), await page.evaluate(() => view.info.node_count));
        await page.click('#tree button >> nth=3');
        assert.equal(await page.evaluate(() => view.selected >= 0), true);
        await page.click('#tab-materials');
        assert.match(await page.innerText('#page-materials'), /not found/);
        await page.click('#tab-warnings');
        assert.match(await page.innerText('#page-warnings'), /IMAGE_MISSING/);
        await page.click('#tab-info');
        assert.match(await page.innerText('#page-info'), /Triangles\s+752/);
        // Levels of detail: the page of the tank, from the finest to a box.
        await drop(page, ['tank.w3d', 'tank.tga'].map(sample));
        await shown(page, 'tank.w3d');
        assert.deepEqual(await page.locator('#lod option').allTextContents(), ['Detail: finest', 'Detail: 2 of 3', 'Detail: coarsest']);
        const picture = () => page.evaluate(async () => (await engine.request('picture', { view: { ...viewRequest(), orbit: view.orbit }, width: 64, height: 64, kind: 'png', rate: 30 })).data.join());
        await page.evaluate(() => setPlaying(false));
        const finest = await picture();
        await page.selectOption('#lod', '2');
        assert.notEqual(await picture(), finest);
        await page.click('.card[title="hound.mdx"]');
        await shown(page, 'hound.mdx');
        // The team's colour is another texture.
        await page.selectOption('#team', '1');
        await until(page, () => view.team === 1 && !view.isDrawing);
        await drawn(page);
    });
});

test('exported models have the bytes of the tool, and the validator accepts the .glb', { skip: noTool }, async () => {
    const validator = createRequire(path.join(project, 'package.json'))('gltf-validator');
    for (const [name, extensions] of [['hound.mdx', ['glb', 'gltf', 'mdx', 'w3d', 'chr', 'mds', 'mdl']], ['soldier_skn.w3d', ['glb', 'mdx']], ['rabbit.chr', ['glb']], ['golem.mdx', ['glb']]]) {
        await withPage(async (page) => {
            const stems = [name.replace(/[._].*/, ''), 'glow'];
            await drop(page, samples().filter((file) => stems.some((stem) => path.basename(file).startsWith(stem))));
            await idle(page);
            if (!await page.isVisible('#viewer')) await page.click(`.card[title="${name}"]`);
            await shown(page, name);
            await page.keyboard.press('Space');
            for (const extension of extensions) {
                const stem = name.replace(/\..*/, ''), target = path.join(folder, extension, `${stem}.${extension}`);
                fs.rmSync(path.dirname(target), { recursive: true, force: true });
                fs.mkdirSync(path.dirname(target), { recursive: true });
                native('convert', '--quiet', sample(name), '-o', target);
                const saved = await exportFile(page, `.${extension}`), files = saved.name.endsWith('.zip') ? readStoredZip(saved.data) : { [saved.name]: saved.data };
                assert.deepEqual(Object.keys(files).sort(), fs.readdirSync(path.dirname(target)).sort());
                for (const [file, data] of Object.entries(files)) assert.ok(data.equals(fs.readFileSync(path.join(path.dirname(target), file))), `${name} to ${file}`);
                if (extension === 'w3d') {
                    const other = path.join(folder, 'bfme', `${stem}.w3d`);
                    fs.mkdirSync(path.dirname(other));
                    native('convert', '--quiet', '--target', 'bfme', sample(name), '-o', other);
                    await page.selectOption('#game', 'bfme');
                    const { data } = await exportFile(page, '.w3d');
                    assert.ok(Object.values(readStoredZip(data)).some((file) => file.equals(fs.readFileSync(other))), 'for another game');
                    await page.selectOption('#game', 'auto');
                }
                if (extension === 'glb') assert.equal((await validator.validateBytes(new Uint8Array(saved.data))).issues.numErrors, 0, name);
            }
        });
    }
});

test('pictures are those of the native renderer, within the bound of the golden tests', { skip: noTool }, async () => {
    const cases = [['hound.mdx', 'Walk', 0.25, 0, []], ['soldier_skn.w3d', null, 0, 512, ['--shadow']], ['golem.mdx', null, 0, 0, []], ['rabbit.chr', null, 0, 256, ['--grid']],
        ['tank.w3d', null, 0, 16, ['--wire']], ['crane.gltf', null, 0, 1, ['--skeleton']], ['serpent.w3d', null, 0, 0, []], ['lantern.mdl', null, 0, 0, []]];
    await withPage(async (page) => {
        await drop(page, samples());
        await idle(page);
        for (const [name, clip, seconds, show, options] of cases) {
            const target = path.join(folder, `${name}.png`);
            native('render', sample(name), '-o', target, '--size', '256', '--background', 'transparent', ...(clip ? ['--clip', clip, '--time', String(seconds)] : []), ...options);
            await page.click(`.card[title="${name}"]`);
            await shown(page, name);
            const data = await page.evaluate(async ([wanted, time, overlays]) => {
                const index = wanted ? view.info.clips.findIndex((one) => one.name === wanted) : view.info.default_clip;
                view.isPlaying = false;
                const request = { ...viewRequest(), clip: index, seconds: time, clock: time, show: overlays, selected: -1, fit: true, fitTime: wanted ? -1 : time, yaw: 0.6, pitch: 0.3, orbit: null, top: 0, background: [0, 0, 0, 0] };
                const orbit = (await engine.request('frame', { view: request, width: 256, height: 256 })).orbit;
                const made = await engine.request('picture', { view: { ...request, orbit }, width: 256, height: 256, kind: 'png', rate: 30 });
                return btoa(Array.from(made.data, (byte) => String.fromCharCode(byte)).join(''));
            }, [clip, seconds, show]);
            const difference = differenceOfBlocks(readPng(fs.readFileSync(target)), readPng(Buffer.from(data, 'base64')));
            console.log(`${name}: difference ${difference.toFixed(2)} of 255 over 8 x 8 pixels`);
            assert.ok(difference < 12, `${name}: ${difference}`);
        }
    });
});

test('pictures and animations are saved', async () => {
    await withPage(async (page) => {
        await drop(page, [sample('kobold/kobold.glb')]);
        await shown(page, 'kobold.glb');
        const png = await exportFile(page, 'PNG'), { rgba } = readPng(png.data);
        assert.equal(rgba[3], 0, 'the corner is transparent');
        assert.ok(rgba.some((value, i) => i % 4 === 3 && value === 255), 'the model is not');
        await page.setViewportSize({ width: 900, height: 420 });
        await page.evaluate(() => { const clip = view.info.clips.reduce((best, one, i, all) => (one.duration < all[best].duration ? i : best), 0); setClip(clip); setPlaying(false); });
        const apng = await exportFile(page, 'APNG');
        assert.ok(apng.data.includes('acTL'));
        const still = await exportFile(page, 'PNG');
        assert.match(png.name, /^kobold_[A-Z][a-z]+_\d\.\d\ds\.png$/);
        const clip = await page.evaluate(() => view.info.clips[view.clip].name);
        assert.deepEqual([apng, still].map((file) => file.name), [`kobold_${clip}.png`, `kobold_${clip}_0.00s.png`]);
        const gif = await exportFile(page, 'GIF');
        assert.equal(gif.data.toString('latin1', 0, 6), 'GIF89a');
    });
});

test('what is no model is one error that says so; names and extensions do not matter', async () => {
    const note = Buffer.from('a note'), hound = fs.readFileSync(sample('hound.mdx'));
    const cases = [
        [Array.from({ length: 2000 }, (_, i) => ({ name: `note${i}.txt`, data: note })), [['note0.txt', 'no model and no archive among 2,000 files']]],
        [[{ name: 'none.zip', data: makeZip({}) }], [['none.zip', 'no model and no archive among 0 files']]],
        [[{ name: 'notes.zip', data: makeZip({ 'a.txt': note, 'b.txt': note }) }], [['notes.zip', 'no model and no archive among 2 files']]],
        [[{ name: 'note.txt', data: note }], [['note.txt', 'not a model in any format sinew reads']]],
        [[{ name: 'nothing', data: Buffer.alloc(0) }], [['nothing', 'the file is empty']]],
        [[sample('hound.blp')], [['hound.blp', 'not a model in any format sinew reads']]],
        [[{ name: 'hound', data: hound }], [['hound', undefined]]],
        [[{ name: 'hound.png', data: hound }], [['hound.png', undefined]]],
        [[{ name: 'Bär 🐻.mdx', data: hound }, { name: 'a.glb', data: fs.readFileSync(sample('arm.glb')) }], [['Bär 🐻.mdx', undefined], ['a.glb', undefined]]],
        [[{ name: 'hound.mdx', data: hound }, { name: 'hound.mdx', data: hound }], [['hound.mdx', undefined], ['hound (2).mdx', undefined]]],
        [[{ name: 'outer.zip', data: makeZip({ 'inner.zip': makeZip({ 'hound.mdx': hound }) }) }], [['outer.zip/inner.zip/hound.mdx', undefined]]],
    ];
    await withPage(async (page) => {
        for (const [files, expected] of cases) {
            await drop(page, files);
            await idle(page);
            assert.deepEqual((await items(page)).map(({ name, error }) => [name, error]), expected);
            await page.click('#close-all');
        }
    });
});

const missingImages = (page) => page.evaluate(() => view.info.images.filter((image) => !image.is_found).map((image) => image.uri));

test('textures that are dropped after their model are found', async () => {
    await withPage(async (page) => {
        await drop(page, [sample('hound.mdx'), sample('arm.glb')]);
        await idle(page);
        await page.click('.card[title="hound.mdx"]');
        await shown(page, 'hound.mdx');
        const picture = () => page.getAttribute('.card[title="hound.mdx"] img', 'src');
        assert.deepEqual(await missingImages(page), ['hound.blp', 'glow.blp']);
        await page.evaluate(() => { setClip(0); setPlaying(false); seek(0.25); });
        const before = await picture();
        await drop(page, [sample('hound.blp')]);
        await until(page, () => view.info.images[0].is_found);
        await idle(page);
        assert.deepEqual(await missingImages(page), ['glow.blp']);
        await drop(page, [{ name: 'more.zip', data: makeZip({ 'art/glow.blp': fs.readFileSync(sample('glow.blp')) }) }]);
        await until(page, () => view.info.images.every((image) => image.is_found));
        await idle(page);
        assert.notEqual(await picture(), before);
        assert.deepEqual(await page.evaluate(() => [view.clip, view.seconds, view.isPlaying]), [0, 0.25, false]);
        assert.match(await page.textContent('#status'), /^2 files · 2 other files$/);
    });
});

test('a skeleton that is dropped after its skin is found', async () => {
    await withPage(async (page) => {
        await drop(page, [sample('soldier_skn.w3d')]);
        await shown(page, 'soldier_skn.w3d');
        await page.click('#tab-warnings');
        assert.match(await page.innerText('#page-warnings'), /W3D_SKELETON[^]*on this page too/);
        await drop(page, ['soldier_skl.w3d', 'soldier.tga'].map(sample));
        await idle(page);
        await page.click('.card[title="soldier_skn.w3d"]');
        await shown(page, 'soldier_skn.w3d');
        assert.deepEqual(await page.evaluate(() => [view.info.node_count > 1, view.lacksFiles]), [true, false]);
    });
});

test('Close all forgets the files, and the worker with its memory', async () => {
    await withPage(async (page) => {
        await drop(page, samples());
        await idle(page);
        await page.click('.card[title="hound.mdx"]');
        await shown(page, 'hound.mdx');
        const [worker] = page.workers();
        await page.click('#close-all');
        for (let i = 0; i < 200 && (page.workers().length !== 1 || page.workers()[0] === worker); i++) await page.waitForTimeout(20);
        assert.equal(page.workers().length, 1);
        assert.notEqual(page.workers()[0], worker);
        assert.deepEqual(await page.evaluate(() => [state.items.length, state.drops.length, document.querySelectorAll('.card').length]), [0, 0, 0]);
        assert.ok(await page.isVisible('#welcome') && !await page.isVisible('#viewer') && !await page.isVisible('#close-all'));
        await drop(page, [sample('hound.mdx')]);
        await shown(page, 'hound.mdx');
        await idle(page);
        assert.deepEqual((await items(page)).map(({ name, error }) => [name, error]), [['hound.mdx', undefined]]);
        assert.deepEqual(await missingImages(page), ['hound.blp', 'glow.blp']);
    });
});

test('a hundred models, one after the other, do not make the memory of the module grow', async () => {
    await withPage(async (page) => {
        await drop(page, samples());
        await idle(page);
        const sizeAfter = async (count) => {
            await page.evaluate(async (shows) => {
                const good = state.items.filter((item) => !item.error);
                for (let i = 0; i < shows; i++) await show(good[i % good.length]);
            }, count);
            return page.workers()[0].evaluate(() => binding.module.HEAPU8.length);
        };
        const first = await sizeAfter(30);
        assert.equal(await sizeAfter(100), first);
    });
});

test('the keyboard reaches everything, and a click leaves the keys to the model', async () => {
    await withPage(async (page) => {
        await drop(page, [...['hound.mdx', 'hound.blp', 'arm.glb', 'rabbit.chr'].map(sample), { name: 'broken.mdx', data: Buffer.from('MDLXVERS') }]);
        await idle(page);
        await page.click('.card[title="hound.mdx"]');
        await shown(page, 'hound.mdx');
        const focus = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
        assert.equal(await focus(), 'view');
        const loads = await page.evaluate(() => view.loads);
        await page.keyboard.press('Space');
        assert.equal(await page.evaluate(() => view.isPlaying), false);
        assert.equal(await page.evaluate(() => view.loads), loads, 'Space does not open the model again');
        const angles = () => page.evaluate(() => view.orbit.slice(3, 6));
        await drawn(page);
        const [yaw, pitch, distance] = await angles();
        for (const key of ['Shift+ArrowLeft', 'Shift+ArrowUp', 'Shift+PageUp']) await page.keyboard.press(key);
        await drawn(page);
        const [yawAfter, pitchAfter, distanceAfter] = await angles();
        assert.ok(Math.abs(Math.abs(yawAfter - yaw) - Math.PI / 12) < 1e-4 && Math.abs(Math.abs(pitchAfter - pitch) - Math.PI / 12) < 1e-4 && distanceAfter < distance * 0.95);
        // Fields keep their own keys.
        await page.focus('#errors-only');
        await page.keyboard.press('Space');
        assert.equal(await page.isChecked('#errors-only'), true);
        assert.equal(await page.evaluate(() => view.isPlaying), false);
        await page.keyboard.press('Space');
        // The tree is one stop; arrow keys walk through it.
        await page.focus('#tab-clips');
        await page.keyboard.press('ArrowRight');
        assert.equal(await focus(), 'tab-tree');
        assert.equal(await page.locator('#tree button[tabindex="0"]').count(), 1);
        const clip = await page.evaluate(() => view.clip);
        await page.focus('#tree button[tabindex="0"]');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        const third = await page.evaluate(() => Number(document.querySelectorAll('#tree button')[2].dataset.node));
        assert.deepEqual(await page.evaluate(() => [view.selected, Number(document.activeElement.dataset.node), view.clip]), [third, third, clip]);
        assert.equal(await page.locator('#tree button[tabindex="0"]').count(), 1);
        // A file that cannot be shown is left by key.
        await page.click('.card[title="broken.mdx"]');
        await until(page, () => document.body.classList.contains('failed') && !view.isDrawing);
        await page.keyboard.press('PageDown');
        await until(page, () => !document.body.classList.contains('failed') && view.info !== null);
        // Every control has a name.
        assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('button, select, input:not([hidden])')]
            .filter((one) => !(one.textContent.trim() && one.matches('button')) && !one.getAttribute('aria-label') && !one.labels?.[0]?.textContent.trim()).map((one) => one.id)), []);
        assert.ok(await page.evaluate(() => [...document.querySelectorAll('input, select')].filter((one) => one.checkVisibility()).every((one) => one.getAttribute('aria-label') || one.labels[0].checkVisibility())));
    });
});

// Truncated at every size up to where a header ends, and headers with wrong bytes: no format has such files.
function damagedFiles(count) {
    const sources = ['hound.mdx', 'tank.w3d', 'arm.glb', 'rabbit.chr', 'soldier_skn.w3d', 'crane.gltf', 'golem.mdx', 'face.glb'], files = [];
    for (let i = 0; files.length < count; i++) {
        const name = sources[i % sources.length], data = Buffer.from(fs.readFileSync(sample(name))), kind = i % 3;
        const cut = data.subarray(0, kind === 0 ? i % 4 : kind === 1 ? 5 + i % 3 : data.length / 2 | 0);
        if (kind === 2) cut.fill(i, 0, 24);
        files.push({ name: `${String(i).padStart(3, '0')}_${name}`, data: cut });
    }
    return files;
}

test('200 damaged files are 200 errors, and the page still works', async () => {
    await withPage(async (page) => {
        await drop(page, damagedFiles(200));
        await idle(page);
        assert.deepEqual((await items(page)).filter((item) => !item.error).map((item) => item.name), []);
        assert.equal(await page.locator('.card.bad').count(), 200);
        assert.match(await page.textContent('#status'), /200 files · 200 errors/);
        assert.ok((await page.locator('.card.bad .note').allTextContents()).every((text) => text.length > 5));
        await drop(page, [sample('hound.mdx')]);
        await shown(page, 'hound.mdx');
        assert.equal(await page.evaluate(() => engine.restarts), 0);
    });
});

test('models are changed faster than they are drawn, and a broken one shows its error', async () => {
    await withPage(async (page) => {
        await drop(page, [...samples(), { name: 'broken.mdx', data: Buffer.from('MDLXVERS') }]);
        await idle(page);
        for (const name of ['hound.mdx', 'rabbit.chr', 'tank.w3d', 'golem.mdx', 'broken.mdx', 'crane.gltf', 'hound.mdx', 'broken.mdx']) {
            await page.click(`.card[title="${name}"]`);
            await page.evaluate(() => { if (view.info) setClip(view.info.clip_count - 1); });
        }
        await until(page, () => document.body.classList.contains('failed') && !view.isDrawing);
        assert.match(await page.textContent('#problem'), /^broken\.mdx: /);
        await page.click('.card[title="rabbit.chr"]');
        await shown(page, 'rabbit.chr');
        assert.ok(!await page.isVisible('#problem'));
        assert.equal(await page.evaluate(() => engine.restarts), 0);
    });
});

test('hostile names in a .zip are names', async () => {
    const data = fs.readFileSync(sample('arm.glb'));
    const zip = makeZip({ '__proto__/arm.glb': data, 'constructor/toString/arm.glb': data, '../../../etc/arm.glb': data, '/arm.glb': data, 'a\\b\\arm.glb': data, '<img src=x onerror=alert(1)>.glb': data });
    await withPage(async (page) => {
        await drop(page, [{ name: 'names.zip', data: zip }, { name: 'cut.zip', data: zip.subarray(0, 300) }, { name: 'bomb.zip', data: lyingZip() }]);
        await idle(page);
        const found = await items(page);
        assert.deepEqual(found.filter((item) => !item.error).map((item) => item.name).sort(), ['names.zip/<img src=x onerror=alert(1)>.glb', 'names.zip/___proto__/arm.glb',
            'names.zip/_constructor/_toString/arm.glb', 'names.zip/a/b/arm.glb', 'names.zip/arm.glb', 'names.zip/etc/arm.glb'].sort());
        assert.deepEqual(found.filter((item) => item.error).map((item) => item.name).sort(), ['bomb.zip/bomb.glb', 'cut.zip']);
        assert.equal(await page.evaluate(() => engine.restarts), 0);
    });
});

// An entry that is a thousand times as large as the directory says.
function lyingZip() {
    const zip = makeZip({ 'bomb.glb': Buffer.alloc(10 << 20) }), at = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    zip.writeUInt32LE(10 << 10, at + 24);
    return zip;
}

test('files damaged at random bytes neither hang the page nor end the worker', async () => {
    let seed = 12345;
    const random = (below) => (seed = Math.imul(seed, 1103515245) + 12345 >>> 0, (seed >>> 8) % below);
    const names = ['hound.mdx', 'tank.w3d', 'arm.glb', 'rabbit.chr', 'lantern.mdl', 'soldier_skn.w3d'];
    const files = Array.from({ length: 60 }, (_, i) => {
        const name = names[i % names.length], data = Buffer.from(fs.readFileSync(sample(name)));
        for (let k = 0; k < 12; k++) data[random(data.length)] = random(256);
        return { name: `${i}_${name}`, data: data.subarray(0, data.length - random(data.length / 2 | 0)) };
    });
    await withPage(async (page) => {
        await drop(page, files);
        await idle(page);
        assert.equal((await items(page)).length, 60);
        assert.equal(await page.evaluate(() => engine.restarts), 0);
    });
});

test('a worker that dies is replaced, and the model is shown again', async () => {
    await withPage(async (page) => {
        await drop(page, [sample('hound.mdx'), sample('hound.blp')]);
        await shown(page, 'hound.mdx');
        await idle(page);
        assert.match(await page.evaluate(() => engine.request('crash').catch((error) => error.message)), /crash/);
        assert.equal(await page.evaluate(() => engine.restarts), 1);
        await drawn(page);
        await drop(page, [sample('arm.glb')]);
        await idle(page);
        assert.deepEqual((await items(page)).map((item) => item.error), [undefined, undefined]);
        // A worker that hangs is ended by the clock of the page.
        assert.match(await page.evaluate(() => engine.request('show', { item: plain(state.items[0]) }, 0.001).catch((error) => error.message)), /takes more than/);
        await drawn(page);
        assert.equal(await page.evaluate(() => engine.restarts), 2);
    });
});

test('a link opens the model, clip, time and direction that it names, with one request', async () => {
    const server = await serve({ samples: path.join(project, 'samples') });
    const address = `${server.url}?model=samples/kobold/kobold.glb&clip=Walk&t=0.25&yaw=90`;
    await withPage(async (page, opened) => {
        opened.expected = [`${server.url}samples/kobold/kobold.glb`];
        await shown(page, 'kobold.glb');
        await drawn(page);
        assert.deepEqual(await page.evaluate(() => [view.info.clips[view.clip].name, view.seconds, Math.round(view.orbit[3] * 180 / Math.PI)]), ['Walk', 0.25, 90]);
        const link = new URL(await page.evaluate(() => shareLink()));
        assert.equal(link.search, '?model=samples%2Fkobold%2Fkobold.glb&clip=Walk&t=0.250&yaw=90&pitch=17.2');
        await idle(page);
    }, address);
    assert.deepEqual(server.seen, ['/', '/samples/kobold/kobold.glb']);
    server.close();
});

test('a link keeps clips apart that share a name, and ignores numbers of none', async () => {
    await withPage(async (page) => {
        await drop(page, [sample('hound.mdx')]);
        await shown(page, 'hound.mdx');
        const clips = await page.evaluate(() => {
            const linked = (clip) => { setClip(clip); return new URL(shareLink()).searchParams.get('clip'); };
            const [, second] = view.info.clips, before = [linked(-1), linked(1)];
            second.name = view.info.clips[0].name;
            const repeated = linked(1);
            second.name = 'rest';
            return [...before, repeated, linked(1)];
        });
        assert.deepEqual(clips, ['rest', 'Walk', '1', '1']);
    });
    for (const [text, expected] of [['clip=1', [1, true]], ['clip=rest', [-1, false]], ['clip=-5', null], ['clip=0.5', null], ['clip=99&t=abc', null]]) {
        await withPage(async (page) => {
            await drop(page, [sample('hound.mdx')]);
            await shown(page, 'hound.mdx');
            assert.deepEqual(await page.evaluate(() => [view.clip, view.isPlaying]), expected ?? await page.evaluate(() => [view.info.default_clip, true]), text);
        }, `${pathToFileURL(html).href}?${text}`);
    }
});

test('a link to another server is refused without a request', async () => {
    const server = await serve();
    await withPage(async (page) => {
        await until(page, () => state.items.length === 1);
        assert.match((await items(page))[0].error, /same server/);
    }, `${server.url}?model=https://example.invalid/x.glb`);
    server.close();
});

test('WebP textures are decoded by the browser', async () => {
    const data = await (async () => {
        const { page, context } = await openPage(browser);
        const text = await page.evaluate(async () => {
            const canvas = new OffscreenCanvas(2, 2);
            canvas.getContext('2d').fillRect(0, 0, 2, 2);
            const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 1 })).arrayBuffer());
            return btoa(String.fromCharCode(...bytes));
        });
        await context.close();
        return text;
    })();
    const points = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1]);
    const gltf = {
        asset: { version: '2.0' }, extensionsUsed: ['EXT_texture_webp'], extensionsRequired: ['EXT_texture_webp'], scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }], materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
        textures: [{ extensions: { EXT_texture_webp: { source: 0 } } }], images: [{ mimeType: 'image/webp', uri: `data:image/webp;base64,${data}` }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }, { bufferView: 1, componentType: 5126, count: 3, type: 'VEC2' }],
        bufferViews: [{ buffer: 0, byteLength: 36 }, { buffer: 0, byteOffset: 36, byteLength: 24 }],
        buffers: [{ byteLength: 60, uri: `data:application/octet-stream;base64,${Buffer.from(points.buffer).toString('base64')}` }],
    };
    await withPage(async (page) => {
        await drop(page, [{ name: 'webp.gltf', data: Buffer.from(JSON.stringify(gltf)) }]);
        await shown(page, 'webp.gltf');
        const { width, rgba } = await page.evaluate(async () => { const image = await engine.request('texture', { index: 0 }); return { width: image.width, rgba: [...image.rgba.slice(0, 4)] }; });
        assert.equal(width, 2);
        assert.deepEqual(rgba, [0, 0, 0, 255]);
    });
});

test('a narrow screen shows the files, then the model, and goes back', async () => {
    await withPage(async (page) => {
        await drop(page, [sample('kobold/kobold.glb'), sample('arm.glb')]);
        await idle(page);
        assert.ok(await page.isVisible('#grid'));
        await page.click('.card >> nth=0');
        await shown(page, 'kobold.glb');
        assert.ok(!await page.isVisible('#grid'));
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the screen');
        await page.click('#back');
        assert.ok(await page.isVisible('#grid'));
    }, pathToFileURL(html).href, { viewport: { width: 390, height: 780 }, colorScheme: 'dark', hasTouch: true });
});
