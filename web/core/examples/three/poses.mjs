// A Warcraft III model in three.js without glTF: sinew poses and skins it, three.js draws the vertices.
import * as THREE from 'three';
import { open } from '@sinew/core';
import { fetchBytes, makeStage } from './stage.mjs';

const sinew = await open();
const [mdx, blp, glow] = await Promise.all(['hound.mdx', 'hound.blp', 'glow.blp'].map((name) => fetchBytes(`/samples/${name}`)));
const model = sinew.load(mdx, { name: 'hound.mdx', files: { 'hound.blp': blp, 'glow.blp': glow } }), { info } = model;
const clip = model.findClip('Walk');

// The texture of a material's first layer. Rows are from the top, as texture coordinates are.
function textureOf(material) {
    const map = info.surfaces[material]?.layers[0]?.maps.find((one) => one.map === 'color');
    if (!map || !info.images[map.image].is_found) return null;
    const { width, height, rgba } = model.image(map.image), texture = new THREE.DataTexture(new Uint8Array(rgba.buffer), width, height);
    Object.assign(texture, { colorSpace: THREE.SRGBColorSpace, wrapS: THREE.RepeatWrapping, wrapT: THREE.RepeatWrapping, magFilter: THREE.LinearFilter });
    texture.needsUpdate = true;
    return texture;
}

const { scene, fit, run } = makeStage();
const group = new THREE.Group();
if (info.up_axis === 'z') group.rotation.x = -Math.PI / 2;
scene.add(group);
const parts = info.parts.map((part) => {
    const { positions, normals, uvs, indices } = model.mesh(part.mesh), geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    if (normals) geometry.setAttribute('normal', new THREE.BufferAttribute(normals, 3));
    if (uvs) geometry.setAttribute('uv', new THREE.BufferAttribute(uvs, 2));
    geometry.setIndex(new THREE.BufferAttribute(indices, 1));
    const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ map: textureOf(part.material) }));
    mesh.frustumCulled = false;
    group.add(mesh);
    return mesh;
});

function pose(seconds) {
    model.pose(clip, seconds % info.clips[clip].duration, { clock: seconds });
    parts.forEach((mesh, part) => {
        mesh.visible = model.isVisible(part);
        if (!mesh.visible) return;
        const { positions, normals } = model.skin(part);
        mesh.geometry.attributes.position.copyArray(positions).needsUpdate = true;
        if (normals) mesh.geometry.attributes.normal.copyArray(normals).needsUpdate = true;
    });
}

pose(0);
fit(group);
run(pose);
