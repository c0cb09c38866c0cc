// Runs sinew check over the corpus and compares with a committed table and with the Khronos validator.
//
//     node gltf_corpus.mjs TOOL CORPUS [--write]
//
// gltf_corpus.tsv has the expected result for each file; --write makes it anew. No file that the validator calls valid may be
// an error, none that it calls invalid may pass without a warning. gltf_exceptions.tsv lists deliberate differences.
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, findModels, finish, needTool, readJson, sinewJson } from './judge.mjs';

const TABLE = fileURLToPath(new URL('./gltf_corpus.tsv', import.meta.url));
const EXCEPTIONS = fileURLToPath(new URL('./gltf_exceptions.tsv', import.meta.url));
const AT_ONCE = 2;

// Required extensions that sinew reads. Files that require another may be refused.
const READ = new Set(['KHR_mesh_quantization', 'KHR_texture_transform', 'KHR_lights_punctual', 'KHR_materials_unlit',
    'KHR_materials_emissive_strength', 'KHR_materials_pbrSpecularGlossiness', 'KHR_node_visibility', 'KHR_animation_pointer',
    'EXT_mesh_gpu_instancing', 'EXT_texture_webp', 'KHR_texture_basisu', 'KHR_materials_variants', 'KHR_draco_mesh_compression', 'EXT_meshopt_compression',
    'KHR_meshopt_compression']);

async function readTable(name) {
    const text = await exists(name) ? await fs.readFile(name, 'utf8') : '';
    const rows = text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => line.split('\t'));
    return new Map(rows.map(([file, ...rest]) => [file, rest]));
}

// Errors by the judge of this file: the report beside it, else VALIDATOR.tsv, where EXC is "no glTF at all".
async function errorsOf(corpus, file, table) {
    const beside = path.join(corpus, `${file}.report.json`);
    if (await exists(beside)) return JSON.parse(await fs.readFile(beside, 'utf8')).issues.numErrors;
    const [errors] = table.get(file) ?? [];
    return errors === 'EXC' ? 1 : Number(errors);
}

async function look(tool, corpus, file) {
    const full = path.join(corpus, file);
    const answer = await sinewJson(tool, ['check', '--json', full]);
    const required = readJson(await fs.readFile(full))?.extensionsRequired;
    const { status: error = '-', message = '' } = answer.error ?? {};
    // A file may be refused for an extension it requires, if that is what sinew says.
    const isUnread = error === 'unsupported' && Array.isArray(required) && required.some((name) => message.includes(name));
    return { file, status: answer.status, error, message, isUnread };
}

async function lookAtAll(tool, corpus, files) {
    const found = [];
    let next = 0;
    const work = async () => {
        while (next < files.length) found.push(await look(tool, corpus, files[next++]));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return found.sort((a, b) => (a.file < b.file ? -1 : 1));
}

// What is wrong with this finding, or null.
function judge(found, errors, expected, exception) {
    if (!Number.isFinite(errors)) return 'the validator has not seen this file';
    const isRefused = found.status === 'error';
    const isWrong = errors === 0 ? isRefused && !found.isUnread : found.status === 'ok';
    if (isWrong && !exception)
        return errors === 0 ? `refused (${found.error}: ${found.message}), the validator finds no error` : `accepted in silence, the validator finds ${errors} errors`;
    if (!isWrong && exception) return 'is in gltf_exceptions.tsv, but needs no exception';
    if (!expected) return 'is not in gltf_corpus.tsv: run with --write and read the difference';
    if (expected[0] !== found.status || expected[1] !== found.error) return `is ${found.status} ${found.error}, the table says ${expected.join(' ')}`;
    return null;
}

export async function checkCorpus(tool, corpus, isWriting) {
    await needTool(tool);
    const files = await findModels(corpus);
    const found = await lookAtAll(tool, corpus, files);
    if (isWriting) {
        const head = '# file, what `sinew check` finds (ok, warnings, error), the status of the error. Made by oracle/gltf_corpus.mjs --write.\n';
        await fs.writeFile(TABLE, head + found.map((one) => `${one.file}\t${one.status}\t${one.error}\n`).join(''));
    }
    const [expected, exceptions, verdicts] = await Promise.all([TABLE, EXCEPTIONS, path.join(corpus, 'VALIDATOR.tsv')].map(readTable));
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const one of found) {
        const problem = judge(one, await errorsOf(corpus, one.file, verdicts), expected.get(one.file), exceptions.get(one.file));
        counts[problem ? 'failed' : 'passed']++;
        if (problem) console.log(`FAILED ${one.file}: ${problem}`);
    }
    for (const file of expected.keys()) if (!files.includes(file)) console.log(`FAILED ${file}: is in the table, but not in the corpus`), counts.failed++;
    const total = (status) => found.filter((one) => one.status === status).length;
    console.log(`${files.length} models: ${total('ok')} ok, ${total('warnings')} with warnings, ${total('error')} refused`);
    return counts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [tool, corpus, option] = process.argv.slice(2);
    finish(await checkCorpus(tool, corpus, option === '--write'));
}
