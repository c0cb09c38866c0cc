// The three.js examples draw; and how long loading takes beside three.js' GLTFLoader in the same browser.
//
//     node --test tests/web/three.test.mjs
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { serve } from '../../web/serve.mjs';
import { readPng } from './archives.mjs';
import { drop, launch, openPage, project, sample, shown, skipUnless, until } from './browser.mjs';

skipUnless(fs.existsSync(path.join(project, 'node_modules/three')), 'three.js is not there; run scripts/node_packages');
const browser = await launch(), server = await serve();
after(async () => {
    await browser.close();
    server.close();
});

for (const name of ['convert', 'poses']) {
    test(`the example "${name}" draws a moving model`, async () => {
        const { page, context, problems } = await openPage(browser, `${server.url}examples/three/${name}.html`, { viewport: { width: 320, height: 240 } });
        await until(page, () => Number(document.body.dataset.frames) > 3);
        const first = readPng(await page.screenshot()), colors = new Set(), background = first.rgba.readUInt32LE(0);
        let drawn = 0, red = 0;
        for (let i = 0; i < first.rgba.length; i += 4) {
            const color = first.rgba.readUInt32LE(i), [r, g] = first.rgba.subarray(i, i + 2);
            colors.add(color);
            drawn += color === background ? 0 : 1;
            red += r > 120 && g < r / 3 ? 1 : 0;
        }
        assert.ok(colors.size > 200, `${colors.size} colours`);
        // The hound is grey, with a patch of the team's colour, which is in the layer below.
        assert.ok(red > 0.01 * drawn && red < 0.2 * drawn, `${red} of ${drawn} pixels are red`);
        await until(page, () => Number(document.body.dataset.frames) > 20);
        assert.ok(!first.rgba.equals(readPng(await page.screenshot()).rgba), 'it moves');
        // Software drivers warn of slow reads, which screenshots are.
        assert.deepEqual(problems.filter((text) => !/GPU stall|GL Driver Message|GroupMarkerNotSet/.test(text)), []);
        await context.close();
    });
}

// A processor that three programs share takes three times as long.
const slack = Number(process.env.SINEW_TIME_SLACK ?? Math.max(1, os.loadavg()[0] / os.cpus().length));
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

// The same bytes, in turns. GLTFLoader makes an ImageBitmap of each texture; sinew decodes textures when they are asked for, so they are.
test('loading a .glb takes no longer than with GLTFLoader', async () => {
    const big = path.join(project, '../shared/corpus/gltf/kaykit');
    const others = fs.existsSync(big) ? fs.readdirSync(big, { recursive: true }).filter((name) => name.endsWith('.glb')).map((name) => path.join(big, name)) : [];
    const largest = others.sort((a, b) => fs.statSync(b).size - fs.statSync(a).size)[0];
    // A page that draws nothing, so that both have the thread for themselves.
    const imports = { imports: { three: '/three/build/three.module.js' } };
    const { page, context } = await openPage(browser, `${server.url}sinew.html`);
    await page.route('**/empty.html', (route) => route.fulfill({ contentType: 'text/html', body: `<script type="importmap">${JSON.stringify(imports)}</script>` }));
    await page.goto(`${server.url}empty.html`);
    for (const file of [sample('kobold/kobold.glb'), largest].filter(Boolean)) {
        const times = await page.evaluate(async (text) => {
            const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), { open } = await import('/core/index.mjs'), sinew = await open();
            const { GLTFLoader } = await import('/three/examples/jsm/loaders/GLTFLoader.js'), result = { sinew: [], three: [] };
            for (let i = 0; i < 15; i++) {
                let start = performance.now();
                const model = sinew.load(bytes, { name: 'model.glb' });
                model.info.images.forEach((_, index) => model.image(index));
                result.sinew.push(performance.now() - start);
                model.free();
                start = performance.now();
                await new GLTFLoader().parseAsync(bytes.slice().buffer, '');
                result.three.push(performance.now() - start);
            }
            return result;
        }, fs.readFileSync(file).toString('base64'));
        const ours = median(times.sinew), theirs = median(times.three);
        console.log(`${path.basename(file)} (${fs.statSync(file).size} bytes): sinew ${ours.toFixed(1)} ms, GLTFLoader ${theirs.toFixed(1)} ms`);
        assert.ok(ours <= theirs, `${path.basename(file)}: ${ours} ms, GLTFLoader ${theirs} ms`);
    }
    await context.close();
});

// From the drop to the picture on the screen. The module is compiled when the page opens.
test('the first picture of a character appears within a second', async () => {
    const knight = path.join(project, '../shared/corpus/gltf/kaykit/Knight.glb'), times = [];
    for (let i = 0; i < 3; i++) {
        const { page, context } = await openPage(browser);
        await until(page, () => Boolean(state.formats));
        await page.evaluate(() => engine.request('warm'));
        await page.evaluate(() => { addEventListener('drop', () => { globalThis.droppedAt = performance.now(); }, { capture: true }); });
        await drop(page, [fs.existsSync(knight) ? knight : sample('kobold/kobold.glb')]);
        await shown(page, '.glb');
        const { time, triangles } = await page.evaluate(() => ({ time: globalThis.firstFrame - droppedAt, triangles: view.info.triangle_count }));
        times.push(time);
        console.log(`first picture of ${triangles} triangles after ${time.toFixed(0)} ms; ${os.loadavg()[0]} processes share ${os.cpus().length} processors`);
        await context.close();
    }
    assert.ok(Math.min(...times) < 1000 * slack);
});
