// Loads MDX and MDL with war3-model for bench_load: a path on each line in, "nodes vertices clips" or "failed" on each line out.
// Nodes are counted as sinew does, with one for the model itself.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const war3 = await import('war3-model').catch(() => process.exit(1));

function load(path) {
    if (path.endsWith('.mdl')) return war3.parseMDL(readFileSync(path, 'utf8'));
    const bytes = readFileSync(path);
    return war3.parseMDX(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

process.stdout.write('ready\n');
for await (const path of createInterface({ input: process.stdin })) {
    try {
        const model = load(path);
        const vertices = model.Geosets.reduce((sum, geoset) => sum + geoset.Vertices.length / 3, 0);
        process.stdout.write(`${model.Nodes.length + 1} ${vertices} ${model.Sequences.length}\n`);
    } catch {
        process.stdout.write('failed\n');
    }
}
