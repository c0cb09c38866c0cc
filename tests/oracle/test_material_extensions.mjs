// node test_material_extensions.mjs TOOL SAMPLES SHARED
// Kept material extensions, each with much of what it needs and much of what it lacks: what sinew saves has no errors and
// no warnings, whatever the file had.
import { promises as fs } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { finish, needTool } from './judge.mjs';
import { report } from './validate.mjs';

const COUNT = 400;
const tool = process.argv[2];
await needTool(tool);

// A generator of our own, so that every run has the same files.
let state = 1;
const random = (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * count);
};
const chance = (percent) => random(100) < percent;

const dot = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNoaPgPAAODAgCl+4kAAAAASUVORK5CYII=';
const texture = () => ({ index: 0, ...(chance(40) && { texCoord: random(3) }) });
const numbers = (count, most) => Array.from({ length: count }, () => random(100) / 100 * most);
const number = (most) => numbers(1, most)[0];

// Some of the properties of each extension.
const kinds = {
    anisotropy: { anisotropyStrength: () => number(1), anisotropyRotation: () => number(6), anisotropyTexture: texture },
    clearcoat: { clearcoatFactor: () => number(1), clearcoatTexture: texture, clearcoatNormalTexture: texture, clearcoatRoughnessTexture: texture },
    diffuse_transmission: { diffuseTransmissionFactor: () => number(1), diffuseTransmissionColorTexture: texture },
    dispersion: { dispersion: () => number(2) },
    ior: { ior: () => 1 + number(2) },
    iridescence: { iridescenceFactor: () => number(1), iridescenceThicknessMinimum: () => number(400), iridescenceThicknessTexture: texture },
    sheen: { sheenColorFactor: () => numbers(3, 1), sheenRoughnessTexture: texture },
    specular: { specularColorFactor: () => numbers(3, 3), specularTexture: texture },
    transmission: { transmissionFactor: () => number(1), transmissionTexture: texture },
    volume: { thicknessFactor: () => number(2), attenuationDistance: () => 0.5 + number(9), attenuationColor: () => numbers(3, 1), thicknessTexture: texture },
    volume_scatter: { multiscatterColor: () => numbers(3, 1), scatterAnisotropy: () => number(0.9) },
    emissive_strength: { emissiveStrength: () => number(9) },
    unlit: {},
};

function makeMaterial() {
    const extensions = {};
    for (const [name, properties] of Object.entries(kinds)) {
        if (!chance(name === 'unlit' ? 10 : 40)) continue;
        extensions[`KHR_materials_${name}`] = Object.fromEntries(Object.entries(properties).filter(() => chance(60)).map(([key, value]) => [key, value()]));
    }
    return { extensions, doubleSided: chance(50), emissiveFactor: numbers(3, 1), ...(chance(40) && { normalTexture: texture() }), ...(chance(30) && { alphaMode: 'BLEND' }) };
}

// Four corners in a square, as two triangles, a line or points.
function makeModel() {
    const floats = [
        ['POSITION', 'VEC3', [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0]],
        ['NORMAL', 'VEC3', [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]],
        ['TANGENT', 'VEC4', [1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1]],
        ['TEXCOORD_0', 'VEC2', [0, 0, 1, 0, 0, 1, 1, 1]],
        ['TEXCOORD_1', 'VEC2', [0, 0, 2, 0, 0, 2, 2, 2]],
    ];
    const bytes = Buffer.from(Float32Array.from(floats.flatMap((one) => one[2])).buffer);
    let at = 0;
    const views = floats.map(([, , values]) => ({ buffer: 0, byteOffset: (at += values.length * 4) - values.length * 4, byteLength: values.length * 4 }));
    const accessors = floats.map(([, type, values], i) => ({ bufferView: i, componentType: 5126, count: 4, type, ...(i === 0 && { min: [0, 0, 0], max: [1, 1, 0] }) }));
    const materials = Array.from({ length: 1 + random(2) }, makeMaterial);
    const primitives = Array.from({ length: 1 + random(3) }, () => {
        const attributes = { POSITION: 0 };
        if (chance(60)) attributes.NORMAL = 1;
        if (chance(30) && attributes.NORMAL) attributes.TANGENT = 2;
        if (chance(70)) attributes.TEXCOORD_0 = 3;
        if (chance(50) && 'TEXCOORD_0' in attributes) attributes.TEXCOORD_1 = 4;
        return { attributes, material: random(materials.length), mode: chance(75) ? 5 : [0, 1][random(2)] };
    });
    const extensionsUsed = [...new Set(materials.flatMap((one) => Object.keys(one.extensions)))];
    return {
        asset: { version: '2.0' }, ...(extensionsUsed.length && { extensionsUsed }), scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
        meshes: [{ primitives }], materials, textures: [{ source: 0 }], images: [{ uri: dot }], accessors, bufferViews: views,
        buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
    };
}

const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'sinew-extensions-'));
const counts = { passed: 0, failed: 0, skipped: 0 };
const seen = new Set();
try {
    await fs.mkdir(path.join(folder, 'in'));
    for (let i = 0; i < COUNT; i++) await fs.writeFile(path.join(folder, 'in', `${i}.gltf`), JSON.stringify(makeModel()));
    execFileSync(tool, ['convert', '-q', path.join(folder, 'in'), '-o', path.join(folder, 'out')], { stdio: 'pipe' });
    for (let i = 0; i < COUNT; i++) {
        for (const issue of (await report(path.join(folder, 'in', `${i}.gltf`))).issues.messages) if (issue.severity < 2) seen.add(issue.code);
        const { issues } = await report(path.join(folder, 'out', `${i}.glb`));
        const bad = issues.messages.filter((one) => one.severity < 2);
        counts[bad.length === 0 ? 'passed' : 'failed']++;
        for (const issue of bad) console.log(`FAILED ${i}.gltf: ${issue.code} ${issue.pointer}: ${issue.message}`);
    }
    // The inputs must break every rule, or the test proves nothing.
    for (const code of ['MESH_PRIMITIVE_NO_TANGENT_SPACE', 'MESH_PRIMITIVE_GENERATED_TANGENT_SPACE', 'MESH_PRIMITIVE_TOO_FEW_TEXCOORDS',
        'KHR_MATERIALS_ANISOTROPY_ANISOTROPY_TEXTURE_TEXCOORD', 'KHR_MATERIALS_CLEARCOAT_CLEARCOAT_NORMAL_TEXTURE_TEXCOORD',
        'KHR_MATERIALS_DISPERSION_NO_VOLUME', 'KHR_MATERIALS_VOLUME_NO_TRANSMISSION', 'KHR_MATERIALS_VOLUME_DOUBLE_SIDED', 'MULTIPLE_EXTENSIONS']) {
        counts[seen.has(code) ? 'passed' : 'failed']++;
        if (!seen.has(code)) console.log(`FAILED: no input has ${code}`);
    }
} finally {
    await fs.rm(folder, { recursive: true });
}
finish(counts);
