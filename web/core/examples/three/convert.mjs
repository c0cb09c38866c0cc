// A Warcraft III model in three.js: sinew makes a .glb of it, GLTFLoader loads that.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { open } from '@sinew/core';
import { fetchBytes, makeStage } from './stage.mjs';

const sinew = await open();
const [mdx, blp, glow] = await Promise.all(['hound.mdx', 'hound.blp', 'glow.blp'].map((name) => fetchBytes(`/samples/${name}`)));
const { files, losses } = sinew.convert(mdx, 'glb', { name: 'hound.mdx', files: { 'hound.blp': blp, 'glow.blp': glow } });
for (const loss of losses) console.info(loss.message);

const gltf = await new GLTFLoader().parseAsync(files[0].data.buffer, '');
const { scene, fit, run } = makeStage();
scene.add(gltf.scene);
fit(gltf.scene);
const mixer = new THREE.AnimationMixer(gltf.scene);
mixer.clipAction(THREE.AnimationClip.findByName(gltf.animations, 'Walk')).play();
let before = 0;
run((seconds) => {
    mixer.update(seconds - before);
    before = seconds;
});
