// Posed vertices of sinew and three.js, compared: node three_pose.mjs TOOL FOLDER_OR_FILE...
//
// Rest pose and five times per clip of every skinned, animated or morphed model; of these at most eight, spread over the
// clips, unless SINEW_CHECK_ALL=1. An error is a distance in world space as a share of the model's size; 1e-4 is the most.
// What sinew hides must be a point in three.js, which does not know KHR_node_visibility; files of others that use it are skipped.
import { fork } from 'node:child_process';
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { finish, findModels, needTool, readJson, sinewJson } from './judge.mjs';
import { isPoint } from './posed.mjs';

const MOST = 1e-4, WORKERS = 2, PATIENCE_MS = 15000;
const PLACES = [0, 0.25, 0.5, 0.75, 1];
const MOMENTS = process.env.SINEW_CHECK_ALL === '1' ? Infinity : 8;

// What one side does not read; the reason to skip a file.
const OTHERS = {
    KHR_draco_mesh_compression: 'draco: three.js needs a plug-in',
    EXT_meshopt_compression: 'meshopt: three.js needs a plug-in',
    KHR_meshopt_compression: 'meshopt: three.js needs a plug-in',
    EXT_mesh_gpu_instancing: 'instancing: three.js keeps all copies in one object',
    KHR_node_visibility: 'visibility: three.js shows everything',
    KHR_animation_pointer: 'pointers: three.js does not follow them',
};

function moves(json) {
    const morphs = json.meshes?.some?.((mesh) => mesh.primitives?.some?.((primitive) => primitive.targets));
    return Boolean(json.skins?.length || json.animations?.length || morphs);
}

function reasonToSkip(json) {
    if (!json) return 'no JSON';
    const isOurs = json.asset?.generator?.startsWith('sinew ');         // these hide in every player, and point at no transforms
    const used = [...json.extensionsRequired ?? [], ...json.extensionsUsed ?? []]
        .filter((name) => !isOurs || !['KHR_node_visibility', 'KHR_animation_pointer'].includes(name));
    const extension = used.find((name) => OTHERS[name]);
    if (extension) return OTHERS[extension];
    const wide = json.meshes?.some?.((mesh) => mesh.primitives?.some?.((primitive) => primitive.attributes?.JOINTS_1 !== undefined));
    return wide ? 'more than 4 influences: three.js reads 4' : null;
}

// "node/primitive" of each part of ours. Parts come in node order, then in primitive order; a primitive that
// one of us leaves out is found by its number of vertices.
function matchParts(ours, theirs) {
    const matched = new Map();
    const next = new Map();
    for (const part of ours.parts) {
        const id = ours.nodes[part.node].id;
        let primitive = next.get(id) ?? 0;
        const fits = (i) => theirs.get(`${id}/${i}`)?.length === part.positions.length;
        while (!fits(primitive) && theirs.has(`${id}/${primitive}`)) primitive++;
        next.set(id, primitive + 1);
        if (fits(primitive)) matched.set(`${id}/${primitive}`, part);
    }
    return matched;
}

function sizeOf(parts) {
    const min = [Infinity, Infinity, Infinity], max = [-Infinity, -Infinity, -Infinity];
    for (const vertices of parts.values()) {
        vertices.forEach((value, i) => {
            min[i % 3] = Math.min(min[i % 3], value);
            max[i % 3] = Math.max(max[i % 3], value);
        });
    }
    return Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
}

// Largest distance, and what is missing on our side.
function compare(ours, theirs) {
    const matched = matchParts(ours, theirs);
    let worst = 0;
    const missing = [];
    for (const [key, wanted] of theirs) {
        const part = matched.get(key);
        if (part && !part.visible && isPoint(wanted)) continue;
        if (!part || !part.visible) {
            missing.push(key);
            continue;
        }
        for (let i = 0; i < wanted.length; i += 3) {
            const [x, y, z] = [0, 1, 2].map((k) => part.positions[i + k] - wanted[i + k]);
            const distance = Math.hypot(x, y, z);
            if (!(distance <= worst)) worst = Number.isNaN(distance) ? Infinity : distance;
        }
    }
    return { worst, missing };
}

async function judgeFile(tool, file) {
    const json = readJson(await fs.readFile(file));
    const reason = reasonToSkip(json);
    if (reason) return { skipped: reason };
    const { openScene, poseScene } = await import('./three_scene.mjs');
    let scene;
    try {
        scene = await openScene(file);
    } catch (error) {
        return { skipped: `three.js: ${error.message ?? error}` };
    }
    const rises = ({ times }) => times.every((time, i) => i === 0 || time > times[i - 1]);
    if (!scene.clips.every((clip) => clip.tracks.every(rises))) return { skipped: 'key times do not rise: three.js does not end' };
    const clipTimes = [[null, 0]];
    const played = scene.clips.flatMap((clip, i) => PLACES.map((place) => [i, clip.duration * place]));
    const few = Math.min(played.length, MOMENTS);
    for (let k = 0; k < few; k++) clipTimes.push(played[Math.floor((k + 0.5) * played.length / few)]);
    let worst = 0, size = 0, poses = 0;
    for (const [clip, time] of clipTimes) {
        const args = ['pose', file, '--json', ...clip === null ? [] : ['--clip', String(clip), '--time', String(Math.fround(time))]];
        let ours;
        try {
            ours = await sinewJson(tool, args);
        } catch (error) {
            return clip === null && clipTimes.length > 0 && !poses ? { skipped: `sinew: ${error.message}` } : { failed: `sinew: ${error.message}` };
        }
        const theirs = poseScene(scene, clip === null ? null : scene.clips[clip], Math.fround(time));
        if (theirs.size === 0) return { skipped: 'three.js shows nothing' };
        size = Math.max(size, sizeOf(theirs)) || 1;
        const result = compare(ours, theirs);
        if (result.missing.length) return { failed: `clip ${clip}, ${time} s: parts ${result.missing.slice(0, 5)} are not shown by sinew` };
        worst = Math.max(worst, result.worst / size);
        poses++;
        process.send('alive');
    }
    return worst <= MOST ? { worst, poses } : { worst, poses, failed: `off by ${worst.toExponential(2)} of the model's size` };
}

// A process per core, that asks for the next file when it is done with one. One that says nothing for a while is replaced.
function judgeAll(tool, files, tell) {
    const self = fileURLToPath(import.meta.url);
    let next = 0;
    const work = (done) => {
        if (next >= files.length) return done();
        const child = fork(self, ['--worker', tool]);
        let file, timer;
        const wait = () => {
            clearTimeout(timer);
            timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
        };
        const give = () => {
            file = files[next++];
            wait();
            if (file) child.send(file);
            else child.disconnect();
        };
        child.on('message', (result) => {
            wait();
            if (result === 'alive') return;
            tell(file, result);
            give();
        });
        child.on('exit', (code, signal) => {
            clearTimeout(timer);
            if (file) tell(file, signal === 'SIGKILL' ? { skipped: 'three.js: does not end' } : { failed: `worker: exit code ${code}` });
            work(done);
        });
        give();
    };
    return Promise.all(Array.from({ length: WORKERS }, () => new Promise(work)));
}

export async function comparePoses(tool, places) {
    await needTool(tool);
    const files = [];
    for (const place of places) {
        const isFolder = (await fs.stat(place)).isDirectory();
        for (const name of isFolder ? await findModels(place) : ['']) files.push(name ? path.join(place, name) : place);
    }
    const chosen = [];
    for (const file of files) {
        const bytes = await fs.readFile(file);
        const json = readJson(bytes);
        if (json && moves(json)) chosen.push([file, (json.animations?.length ?? 0) * bytes.length]);
    }
    chosen.sort((a, b) => b[1] - a[1]);           // the long ones first
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const rows = [], skips = [];
    await judgeAll(tool, chosen.map(([file]) => file), (file, result) => {
        counts[result.failed ? 'failed' : result.skipped ? 'skipped' : 'passed']++;
        const figure = result.worst === undefined ? '-' : result.worst.toExponential(1);
        if (result.skipped) skips.push(`skip ${file}: ${result.skipped}`);
        else rows.push(`${figure.padStart(8)} ${String(result.poses ?? '-').padStart(5)}  ${file}${result.failed ? `  FAILED: ${result.failed}` : ''}`);
    });
    console.log('   error poses  file');
    console.log(rows.sort((a, b) => a.slice(14).localeCompare(b.slice(14))).join('\n'));
    console.log(skips.sort().join('\n'));
    return counts;
}

if (process.argv[2] === '--worker') {
    for (const say of ['log', 'warn', 'error', 'info']) console[say] = () => {};
    let stop = () => {};         // three.js throws some complaints where no caller can catch them
    process.on('unhandledRejection', (error) => stop({ skipped: `three.js: ${error.message}` }));
    process.on('message', async (file) => {
        const stopped = new Promise((done) => { stop = done; });
        const result = await Promise.race([judgeFile(process.argv[3], file).catch((error) => ({ failed: error.stack })), stopped]);
        process.send(result);
    });
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [tool, ...places] = process.argv.slice(2);
    finish(await comparePoses(tool, places));
}
