// A Warcraft III model in three.js without glTF: sinew poses and skins it, three.js draws the vertices.
import * as THREE from 'three';
import { open } from '@sinew/core';
import { fetchBytes, makeStage } from './stage.mjs';

const sinew = await open();
const [mdx, blp, glow] = await Promise.all(['hound.mdx', 'hound.blp', 'glow.blp'].map((name) => fetchBytes(`/samples/${name}`)));
const model = sinew.load(mdx, { name: 'hound.mdx', files: { 'hound.blp': blp, 'glow.blp': glow } }), { info } = model;
const clip = model.findClip('Walk');

// Rows are from the top, as texture coordinates are.
function textureOf(layer) {
    const map = layer.maps.find((one) => one.map === 'color');
    if (!map || !info.images[map.image].is_found) return null;
    const { width, height, rgba } = model.image(map.image), texture = new THREE.DataTexture(new Uint8Array(rgba.buffer), width, height);
    Object.assign(texture, { colorSpace: THREE.SRGBColorSpace, wrapS: THREE.RepeatWrapping, wrapT: THREE.RepeatWrapping, magFilter: THREE.LinearFilter });
    texture.needsUpdate = true;
    return texture;
}

// A material has layers, drawn one over the other: here the team's colour, then a texture that is transparent where that shows.
function materialOf(layer) {
    const isOpaque = layer.blend === 'opaque';
    return new THREE.MeshStandardMaterial({
        map: textureOf(layer), transparent: !isOpaque, depthWrite: isOpaque, alphaTest: layer.alpha_cutoff,
        blending: layer.blend.startsWith('add') ? THREE.AdditiveBlending : THREE.NormalBlending,
    });
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
    const meshes = new THREE.Group();
    info.surfaces[part.material].layers.forEach((layer, order) => {
        const mesh = new THREE.Mesh(geometry, materialOf(layer));
        Object.assign(mesh, { frustumCulled: false, renderOrder: order });
        meshes.add(mesh);
    });
    group.add(meshes);
    return { meshes, geometry };
});

function pose(seconds) {
    model.pose(clip, seconds % info.clips[clip].duration, { clock: seconds });
    parts.forEach(({ meshes, geometry }, part) => {
        meshes.visible = model.isVisible(part);
        if (!meshes.visible) return;
        const { positions, normals } = model.skin(part);
        geometry.attributes.position.copyArray(positions).needsUpdate = true;
        if (normals) geometry.attributes.normal.copyArray(normals).needsUpdate = true;
    });
}

pose(0);
fit(group);
run(pose);
