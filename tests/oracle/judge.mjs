// What the judges share: finding the packages, running sinew, walking folders, telling the result.
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SKIPPED = 77;

// The package, or the end of the program: a judge that is not installed cannot judge.
export async function need(name) {
    try {
        return await import(name);
    } catch (error) {
        console.error(`${name} is not installed (npm ci): ${error.message}`);
        process.exit(SKIPPED);
    }
}

export function skipAll(reason) {
    console.error(reason);
    process.exit(SKIPPED);
}

export async function exists(name) {
    return fs.access(name).then(() => true, () => false);
}

// All models below a folder, sorted, as paths relative to it.
export async function findModels(folder, ending = /\.(gltf|glb)$/, below = '') {
    const found = [];
    const entries = await fs.readdir(path.join(folder, below), { withFileTypes: true });
    for (const entry of entries) {
        const name = below ? `${below}/${entry.name}` : entry.name;
        if (entry.isDirectory()) found.push(...await findModels(folder, ending, name));
        else if (ending.test(entry.name)) found.push(name);
    }
    return found.sort();
}

// The JSON of a .gltf or .glb; null where there is none to be had.
export function readJson(bytes) {
    try {
        const isBinary = bytes.length >= 20 && bytes.toString('latin1', 0, 4) === 'glTF';
        const text = isBinary ? bytes.subarray(20, 20 + bytes.readUInt32LE(12)) : bytes;
        return JSON.parse(text.toString('utf8').replace(/^\uFEFF/, ''));
    } catch {
        return null;
    }
}

// A tool that does not even start must not look like files that it refuses.
export async function needTool(tool) {
    await run(tool, ['--help']).catch((error) => {
        console.error(`${tool} does not run: ${error.message}`);
        process.exit(1);
    });
}

// Standard output as JSON; the exit code is not judged here, a signal is.
export async function sinewJson(tool, args) {
    const result = await run(tool, args, { maxBuffer: 1 << 30 }).catch((error) => error);
    if (result.signal) throw new Error(`sinew ended by ${result.signal}: ${args.join(' ')}`);
    if (!result.stdout) throw new Error(result.stderr?.trim().split('\n')[0] || 'sinew printed nothing');
    return JSON.parse(result.stdout);
}

// One that is not judged. ./check lists the reasons, each with its count.
export function skip(counts, reason) {
    counts.skipped++;
    console.log(`skip ${reason}`);
}

export function finish({ passed, failed, skipped }) {
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
    process.exit(failed > 0 ? 1 : passed > 0 ? 0 : SKIPPED);
}
