// The rules of Warcraft III in `sinew check --target`: every error and severe finding of mdx-m3-viewer's sanity test is found, at the
// same element; models without any have at most notes. For samples, samples broken in one way each, and the corpus.
// node test_check_game.mjs TOOL SAMPLES SHARED
import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { exists, finish, need, needTool, sinewJson, skip } from './judge.mjs';

await need('mdx-m3-viewer');
const require = createRequire(import.meta.url);
const Model = require('mdx-m3-viewer/dist/cjs/parsers/mdlx/model').default;
const testSanity = require('mdx-m3-viewer/dist/cjs/utils/mdlx/sanitytest/sanitytest').default;

const [tool, samples, shared] = process.argv.slice(2);
await needTool(tool);
const run = promisify(execFile);
const work = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-check-'));
const counts = { passed: 0, failed: 0, skipped: 0 };

// What sinew calls each of their findings. Theirs find the objects of vertices by order, the game by id: where these differ, sinew
// reports the ids.
const names = [
    [/^Version 900/, 'VERSION'], [/^Corrupted path|replaceable ID/, 'TEXTURE'], [/^(Invalid path|Corrupted face effect)/, 'PATH'],
    [/^Invalid (texture|texture animation|material|geoset|geoset animation|global sequence) -?\d+/, 'REFERENCE'],
    [/^Zero tracks/, 'EVENT'], [/^Invalid parent/, 'PARENT'], [/^Same object and parent/, 'PARENT IDS MDL_ID'],      // without an id both are -1
    [/which does not exist$/, 'UNATTACHED IDS'], [/^Missing "(Stand|Death)"/, 'UNIT'],
    [/^This sequence starts/, 'SEQUENCE_ORDER'], [/^Too many vertices/, 'VERTICES'],
    [/is not a bone$/, 'NOT_A_BONE BONES_FIRST IDS'], [/Not attached to anything/, 'UNATTACHED'],
    [/weights are not normalized/, 'WEIGHTS'], [/^Referencing geoset/, 'INVISIBLE'],
    [/XY Quad|time middle|squirt|visibility guide/, 'EMITTER'], [/is lower than the track before/, 'KEY_ORDER'],
    [/^Missing opening track/, 'KEY_AT_START KEY_ORDER'],
];
const tags = {
    Sequence: 'SEQS', GlobalSequence: 'GLBS', Texture: 'TEXS', Material: 'MTLS', TextureAnimation: 'TXAN', Geoset: 'GEOS',
    GeosetAnimation: 'GEOA', Bone: 'BONE', Light: 'LITE', Helper: 'HELP', Attachment: 'ATCH', ParticleEmitter: 'PREM',
    ParticleEmitter2: 'PRE2', ParticleEmitterPopcorn: 'CORN', RibbonEmitter: 'RIBB', EventObject: 'EVTS', Camera: 'CAMS',
    CollisionShape: 'CLID', FaceEffect: 'FAFX',
};

function* findings(nodes, place = '') {
    for (const node of nodes ?? []) {
        if (node.type === 'error' || node.type === 'severe') yield { place, message: node.message };
        const [, type, index] = /^(\w+) (\d+)/.exec(node.name ?? '') ?? [];
        yield* findings(node.nodes, place || (tags[type] ? `${tags[type]}[${index}]` : ''));
    }
}

function isFound(theirs, ours) {
    const known = names.find(([pattern]) => pattern.test(theirs.message));
    if (!known) return false;
    return ours.some(({ name, path: place }) => known[1].split(' ').includes(name.replace('WAR3_', '')) &&
        (!theirs.place || place.startsWith(theirs.place) || !place));
}

async function compare(name, file) {
    const bytes = await fs.readFile(file);
    const model = new Model();
    try {
        model.load(/\.mdl$/i.test(file) ? bytes.toString('utf8') : new Uint8Array(bytes));
    } catch {
        skip(counts, 'mdx-m3-viewer does not read a damaged file or its version');
        return;
    }
    const theirs = [...findings(testSanity(model).nodes)];
    const report = await sinewJson(tool, ['check', '--json', '--target', model.version > 800 ? 'reforged' : 'war3', file]);
    if (report.error) {
        skip(counts, 'sinew does not read a damaged file');
        return;
    }
    const ours = report.warnings.filter((warning) => warning.name.startsWith('WAR3_'));
    const missed = theirs.filter((finding) => !isFound(finding, report.warnings)).map(({ place, message }) => `missed ${place}: ${message}`);
    if (theirs.length === 0)
        missed.push(...ours.filter((warning) => warning.level !== 'note' &&
            !theirGaps.some(([file, code]) => name.includes(file) && code === warning.name)).map((warning) => `they find nothing: ${warning.name} ${warning.path}`));
    counts[missed.length ? 'failed' : 'passed']++;
    for (const problem of missed.slice(0, 5)) console.log(`FAILED ${name}: ${problem}`);
}

// One rule broken each.
const breaks = {
    version: (m) => { m.version = 900; }, texturePath: (m) => { m.textures[0].path = 'a.png'; },
    replaceable: (m) => { m.textures[0].replaceableId = 9; }, layerTexture: (m) => { m.materials[0].layers[0].textureId = 99; },
    layerAnim: (m) => { m.materials[0].layers[0].textureAnimationId = 7; }, material: (m) => { m.geosets[0].materialId = 50; },
    geosetAnim: (m) => { m.geosetAnimations[0].geosetId = 50; }, boneGeoset: (m) => { m.bones[2].geosetId = 9; },
    boneAnim: (m) => { m.bones[2].geosetAnimationId = 9; }, group: (m) => { m.geosets[0].vertexGroups[3] = 200; },
    loose: (m) => { m.geosets[0].vertexGroups[5] = 255; }, helper: (m) => { m.geosets[0].matrixIndices[0] = m.lights[0].objectId; },
    nothing: (m) => { m.geosets[0].matrixIndices[0] = 99; }, parent: (m) => { m.bones[1].parentId = 77; },
    self: (m) => { m.bones[3].parentId = m.bones[3].objectId; }, noStand: (m) => { m.sequences[0].name = 'Sit'; },
    noDeath: (m) => { m.sequences[2].name = 'Fall'; }, sameStart: (m) => { m.sequences[1].interval[0] = m.sequences[0].interval[0]; },
    overlap: (m) => { m.sequences[1].interval[0] = m.sequences[0].interval[1] - 5; },
    middle: (m) => { m.particleEmitters2[0].timeMiddle = 2; }, squirt: (m) => { m.particleEmitters2[0].squirt = 1; },
    emitterTexture: (m) => { m.particleEmitters2[0].textureId = 44; }, emitterId: (m) => { m.particleEmitters2[0].replaceableId = 12; },
    ribbon: (m) => { m.ribbonEmitters[0].materialId = 44; }, event: (m) => { m.eventObjects[0].tracks = new Uint32Array(0); },
    eventOrder: (m) => { m.eventObjects[0].tracks.reverse(); }, attachment: (m) => { m.attachments[0].path = 'a.txt'; },
    keyOrder: (m) => { const [a] = m.bones.find((b) => b.animations.length).animations; a.frames[1] = a.frames[2] + 1; },
    keyStart: (m) => { const a = m.bones.flatMap((b) => b.animations).find((t) => t.interpolationType && t.globalSequenceId < 0); a.frames[0] += 3; a.values[0][0] += 0.25; },
    global: (m) => { m.bones.find((b) => b.animations.length).animations[0].globalSequenceId = 9; },
    invisible: (m) => { m.geosetAnimations[0].alpha = 0; m.geosetAnimations[0].animations = []; m.bones[0].geosetId = 0; m.bones[0].geosetAnimationId = 0; },
};

// Rules that --fix follows without loss: how they are broken, and whether the model still moves as it did.
const objectsOf = (m) => ['bones', 'lights', 'helpers', 'attachments', 'particleEmitters', 'particleEmitters2', 'ribbonEmitters', 'eventObjects',
    'collisionShapes'].flatMap((list) => m[list]);
const repairs = {
    ids: [true, (m) => {        // all objects in the opposite order, not from 0
        const count = objectsOf(m).length, renumber = (id) => (id < 0 ? id : 2 * (count - 1 - id) + 5);
        const pivots = m.pivotPoints;
        m.pivotPoints = Array.from({ length: 2 * count + 5 }, () => new Float32Array(3));
        pivots.forEach((pivot, id) => { m.pivotPoints[renumber(id)] = pivot; });
        for (const object of objectsOf(m)) [object.objectId, object.parentId] = [renumber(object.objectId), renumber(object.parentId)];
        for (const geoset of m.geosets) geoset.matrixIndices = geoset.matrixIndices.map(renumber);
    }],
    keyOrder: [true, (m) => {
        const [a] = m.bones.find((b) => b.animations.length).animations;
        for (const list of [a.frames, a.values, a.inTans, a.outTans]) if (list?.length > 1) [list[0], list[1]] = [list[1], list[0]];
    }],
    keyStart: [false, breaks.keyStart],
    eventOrder: [true, breaks.eventOrder],
    sequences: [false, (m) => { m.sequences.reverse(); }],
    extents: [true, (m) => { m.geosets[0].sequenceExtents = []; m.extent.min[0] = m.extent.max[0] + 1; }],
    visibility: [true, (m) => { m.attachments[0].animations[0].interpolationType = 1; }],
};

async function repair(name, keeps, change) {
    const model = new Model(), again = new Model();
    model.load(new Uint8Array(await fs.readFile(path.join(samples, 'hound.mdx'))));
    change(model);
    const file = path.join(work, `repair_${name}.mdx`), before = `${file}.obj`, after = `${file}.2.obj`;
    await fs.writeFile(file, model.saveMdx());
    const pose = (out) => run(tool, ['pose', '--continuous', '--clip', 'Walk', '--time', '0.3', '--obj', out, file]);
    await pose(before);
    const report = await sinewJson(tool, ['check', '--json', '--fix', '--target', 'war3', file]);
    await pose(after);
    again.load(new Uint8Array(await fs.readFile(file)));
    const problems = [...findings(testSanity(again).nodes)].map(({ place, message }) => `after --fix ${place}: ${message}`);
    if (!(report.repairs?.length > 0)) problems.push('nothing was repaired');
    problems.push(...report.warnings.filter((w) => w.level !== 'note' && w.name.startsWith('WAR3_')).map((w) => `after --fix: ${w.name}`));
    if (keeps && (await fs.readFile(before)).compare(await fs.readFile(after)) !== 0) problems.push('it moves differently after --fix');
    counts[problems.length ? 'failed' : 'passed']++;
    for (const problem of problems) console.log(`FAILED repair ${name}: ${problem}`);
}

// Broken on purpose, in ways that the sanity test does not look for.
const theirGaps = [['nodeid_checksum_collision_v800', 'WAR3_IDS'], ['parent_cycle_v800', 'WAR3_PARENT']];

async function* modelsBelow(folder) {
    for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
        const name = path.join(folder, entry.name);
        if (entry.isDirectory()) yield* modelsBelow(name);
        else if (/\.(mdx|mdl)$/i.test(entry.name)) yield name;
    }
}

try {
    for (const name of ['hound.mdx', 'lantern.mdl']) await compare(name, path.join(samples, name));
    for (const [name, change] of Object.entries(breaks)) {
        const model = new Model();
        model.load(new Uint8Array(await fs.readFile(path.join(samples, 'hound.mdx'))));
        change(model);
        const file = path.join(work, `${name}.mdx`);
        await fs.writeFile(file, model.saveMdx());
        if ([...findings(testSanity(model).nodes)].length === 0) {
            counts.failed++;
            console.log(`FAILED ${name}: the sanity test finds nothing`);
        }
        await compare(name, file);
    }
    for (const [name, [keeps, change]] of Object.entries(repairs)) await repair(name, keeps, change);
    const corpus = path.join(shared ?? '', 'corpus/mdx');
    if (shared && await exists(corpus)) for await (const file of modelsBelow(corpus)) await compare(path.relative(corpus, file), file);
} finally {
    await fs.rm(work, { recursive: true, force: true });
}
finish(counts);
