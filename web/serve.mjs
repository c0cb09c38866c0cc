// Serves the page, the npm package, its three.js examples and the samples on this machine only.
//
//     node web/serve.mjs [PORT]
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const build = process.env.SINEW_WEB_BUILD ?? path.join(project, 'build/web');
const folders = {
    core: path.join(build, 'core'),
    examples: path.join(project, 'web/core/examples'),
    samples: path.join(project, 'samples'),
    three: path.join(project, 'node_modules/three'),
};
const types = { '.html': 'text/html; charset=utf-8', '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm' };

function fileOf(name) {
    if (name === '/' || name === '/sinew.html') return path.join(build, 'sinew.html');
    const [, first, ...rest] = name.split('/');
    return folders[first] && !rest.includes('..') ? path.join(folders[first], ...rest) : null;
}

export function serve(port = 0) {
    const server = http.createServer((request, response) => {
        const file = fileOf(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
        if (!file || !fs.existsSync(file) || !fs.statSync(file).isFile()) {
            response.writeHead(404).end();
            return;
        }
        response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' });
        fs.createReadStream(file).pipe(response);
    });
    return new Promise((resolve) => {
        server.listen(port, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }));
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const { url } = await serve(Number(process.argv[2] ?? 8000));
    console.log(`${url}                              the page\n${url}examples/three/convert.html  a .mdx through GLTFLoader\n${url}examples/three/poses.html    poses of a .mdx, without glTF`);
}
