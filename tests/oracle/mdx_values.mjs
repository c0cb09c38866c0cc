// Compares the documents that sinew reads with what two other readers found in the same files.
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { viewerFacts, war3Facts } from './mdx_facts.mjs';

const run = promisify(execFile);

export async function findMdx(folder) {
    const entries = await fs.readdir(folder, { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile() && /\.(mdx|mdl)$/i.test(entry.name)).map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort();
}

export async function readDocuments(program, files) {
    const { stdout } = await run(program, files, { maxBuffer: 1 << 30 });
    return stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
}

// The same document as MDL text.
export async function writeText(program, file) {
    return Buffer.from((await run(program, ['--mdl', file], { maxBuffer: 1 << 30, encoding: 'latin1' })).stdout, 'latin1');
}

// Numbers are floats of 32 bits on one side, doubles on the other, and JSON has no NaN; text ends at its first NUL, which not all know.
const same = (ours, theirs) => ours === theirs || (ours === null && Number.isNaN(theirs)) || (typeof theirs === 'string' && ours === theirs.split('\0')[0]) || (typeof ours === 'number' && typeof theirs === 'number' &&
    (Math.fround(ours) === Math.fround(theirs) || (Number.isInteger(ours) && ours >>> 0 === theirs >>> 0 && Number.isInteger(theirs))));

// Where `theirs` says something else than `ours`, as "path: ours, theirs". What they leave undefined is not compared.
export function differences(ours, theirs, skips, at = '', found = []) {
    if (theirs === undefined || skips(at)) return found;
    if (theirs === null || typeof theirs !== 'object') {
        if (!same(ours, theirs)) found.push(`${at}: ${JSON.stringify(ours)}, theirs ${JSON.stringify(theirs)}`);
        return found;
    }
    const keys = Object.keys(theirs);
    if (Array.isArray(theirs) && ours?.length !== theirs.length) {
        found.push(`${at}: ${ours?.length} entries, theirs ${theirs.length}`);
        return found;
    }
    for (const key of keys) differences(ours?.[key], theirs[key], skips, at ? `${at}.${key}` : key, found);
    return found;
}

// Their defaults are not ours where the text says nothing: such a word must be there for its value to be compared.
const OPEN = ['TextureID', 'Alpha', 'Color', 'Intensity', 'AmbColor', 'AmbIntensity', 'LevelOfDetail', 'Gravity'];
function silences(text) {
    const silent = text === null ? [] : OPEN.filter((word) => !text.includes(word));
    return (at) => silent.includes(at.split('.').at(-1));
}

export const readers = (war3, Model) => [
    {
        name: 'war3-model',
        read: (bytes, isText) => {
            const model = isText ? war3.parseMDL(bytes.toString('utf8')) : war3.parseMDX(new Uint8Array(bytes).buffer);
            if (model.Version >= 1300) throw new Error('an empty model is what it answers for these versions');
            return war3Facts(model, isText);
        },
    },
    {
        name: 'mdx-m3-viewer',
        read: (bytes, isText) => {
            const model = new Model();
            model.load(isText ? bytes.toString('utf8') : new Uint8Array(bytes));
            return viewerFacts(model, isText);
        },
    },
];

// null: the reader does not read this file.
export function judge(reader, bytes, isText, document, exceptions) {
    let facts;
    try {
        facts = reader.read(bytes, isText);
    } catch {
        return null;
    }
    const silent = silences(isText ? bytes.toString('utf8') : null);
    return differences(document, facts, (at) => silent(at) || exceptions.some((exception) => exception.test(at)));
}
