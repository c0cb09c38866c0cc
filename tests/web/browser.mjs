// Drives the page in the system's Chromium: opens it from a file or from a server on this machine, drops files, waits until all is drawn.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const project = fileURLToPath(new URL('../..', import.meta.url));
export const html = path.resolve(process.env.SINEW_PAGE ?? path.join(project, 'build/web/sinew.html'));
export const tool = path.resolve(process.env.SINEW_TOOL ?? path.join(project, 'build/release/sinew'));
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env.SINEW_CHROMIUM ?? browsers.find((file) => fs.existsSync(file));

export function skipUnless(isThere, message) {
    if (isThere) return;
    console.log(`skipped: ${message}`);
    process.exit(77);
}

export async function launch() {
    skipUnless(executablePath, 'chromium is not installed');
    skipUnless(fs.existsSync(html), `${html} is not built`);
    skipUnless(fs.existsSync(path.join(project, 'tests/web/node_modules/playwright-core')), 'run scripts/node_packages tests/web');
    const { chromium } = await import('playwright-core');
    return chromium.launch({
        executablePath,
        args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--mute-audio'],
    });
}

// Serves the page, and files below `folders`, on this machine only.
export async function serve(folders = {}) {
    const seen = [];
    const server = http.createServer((request, response) => {
        const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
        seen.push(name);
        const [, first, ...rest] = name.split('/'), folder = folders[first];
        const file = name === '/' || name === '/sinew.html' ? html : folder ? path.join(folder, ...rest) : null;
        if (!file || !fs.existsSync(file)) {
            response.writeHead(404).end();
            return;
        }
        const types = { '.html': 'text/html', '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm' };
        response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' });
        fs.createReadStream(file).pipe(response);
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    return { url: `http://127.0.0.1:${server.address().port}/`, seen, close: () => server.close() };
}

// A page that collects what must not happen: console errors, and requests besides its own address.
export async function openPage(browser, address = pathToFileURL(html).href, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
    const page = await context.newPage(), problems = [], requests = [];
    page.on('console', (message) => { if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text()); });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => { if (!/^(blob|data):/.test(request.url())) requests.push(request.url()); });
    await page.goto(address);
    return { page, context, problems, requests };
}

// { name, data } or a path on disk.
export async function drop(page, files) {
    const list = files.map((file) => (typeof file === 'string' ? { name: path.basename(file), data: fs.readFileSync(file) } : file));
    const transfer = await page.evaluateHandle((items) => {
        const made = new DataTransfer();
        for (const { name, text } of items) made.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
        return made;
    }, list.map(({ name, data }) => ({ name, text: Buffer.from(data).toString('base64') })));
    await page.evaluate(() => { document.body.dataset.busy = 'true'; });
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

// Asks the page until it is so. Playwright's own waiting evaluates texts, which the page's policy refuses.
export async function until(page, claim, value, timeout = 60000) {
    for (const start = Date.now(); Date.now() - start < timeout; await new Promise((resolve) => { setTimeout(resolve, 15); }))
        if (await page.evaluate(claim, value)) return;
    throw new Error(`after ${timeout} ms: ${claim} ${JSON.stringify(value) ?? ''}; the page shows: ${(await page.innerText('body')).slice(0, 600)}`);
}

export const idle = (page, timeout = 120000) => until(page, () => document.body.dataset.busy === 'false', null, timeout);
// The model is shown as it is now. A picture that is under way may be of what was before.
export async function drawn(page) {
    const before = await page.evaluate(() => { redraw(); return view.drawn + (view.isDrawing ? 1 : 0); });
    await until(page, (least) => view.drawn > least && !view.isDrawing, before);
}
// The model is shown, and its first picture is there.
export const shown = (page, name) => until(page, (wanted) => Boolean(view.item?.path.endsWith(wanted) && view.info && view.drawn > 0 && !view.isDrawing), name);

export async function exportFile(page, button) {
    await page.click('#tab-export');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`button[data-save="${button}"]`)]);
    return { name: download.suggestedFilename(), data: fs.readFileSync(await download.path()) };
}

export const sample = (name) => path.join(project, 'samples', name);
export const samples = () => fs.readdirSync(path.join(project, 'samples')).filter((name) => !/\.[ch]$/.test(name) && name !== 'kobold').map(sample);
