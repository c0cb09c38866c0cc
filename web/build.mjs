// Makes build/web/core, the npm package, and build/web/sinew.html, the page with everything in it, from the modules that
// `cmake --build --preset web` made.
//
//     node web/build.mjs [build/web]
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2] ?? path.join(here, '../build/web'));
const read = (...parts) => fs.readFileSync(path.join(...parts), 'utf8');
const moduleOf = (name) => path.join(out, 'module', name);

function buildCore() {
    const folder = path.join(out, 'core');
    fs.mkdirSync(folder, { recursive: true });
    for (const name of ['package.json', 'index.mjs', 'index.d.ts', 'binding.mjs']) fs.copyFileSync(path.join(here, 'core', name), path.join(folder, name));
    fs.copyFileSync(path.join(here, '../LICENSE'), path.join(folder, 'LICENSE'));
    fs.copyFileSync(moduleOf('sinew_core.wasm'), path.join(folder, 'sinew_core.wasm'));
    fs.writeFileSync(path.join(folder, 'sinew_core.mjs'), `${read(moduleOf('sinew_core.js'))}\nexport default createSinew;\n`);
}

// Lines of comments and indentation are not for the browser.
const squeeze = (text) => text.replace(/^\s*\/\/.*\n/gm, '').replace(/^\s+/gm, '').replace(/\n+/g, '\n');

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// The worker and its module are one deflated text; a page has no other way to get them without a request.
function buildPage() {
    const worker = [
        read(moduleOf('sinew_page.js')),
        squeeze(read(here, 'core/binding.mjs')).replace(/^export /gm, ''),
        squeeze(read(here, 'page/worker.js')),
    ].join('\n');
    const pack = (data) => zlib.deflateSync(data, { level: 9 }).toString('base64');
    const scripts = ['common', 'engine', 'zip', 'files', 'view', 'panels', 'export', 'page'];
    const script = scripts.map((name) => squeeze(read(here, `page/${name}.js`))).join('');
    const style = squeeze(read(here, 'page/page.css'));
    const policy = [
        "default-src 'none'", `script-src ${hash(script)} 'wasm-unsafe-eval'`, `style-src ${hash(style)}`, 'worker-src blob:', 'img-src blob: data:',
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
    ].join('; ');
    const parts = {
        '@POLICY@': policy,
        '@STYLE@': `<style>${style}</style>`,
        '@SCRIPT@': `<script>${script}</script>`,
        '@WORKER@': `<script type="text/plain" id="worker-source">${pack(worker)}</script>`,
        '@MODULE@': `<script type="text/plain" id="module-bytes">${pack(fs.readFileSync(moduleOf('sinew_page.wasm')))}</script>`,
    };
    let html = read(here, 'page/page.html');
    for (const [mark, text] of Object.entries(parts)) {
        if (!html.includes(mark)) throw new Error(`page.html has no ${mark}`);
        html = html.replace(mark, () => text);
    }
    fs.writeFileSync(path.join(out, 'sinew.html'), html);
    console.log(`${path.join(out, 'sinew.html')}: ${html.length} bytes, ${zlib.gzipSync(html, { level: 9 }).length} compressed`);
}

buildCore();
if (fs.existsSync(path.join(here, 'page/page.html'))) buildPage();
