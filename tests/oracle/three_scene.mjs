// glTF read and posed by three.js, without a browser: posed vertices of every (node, primitive) of the default scene.
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { need } from './judge.mjs';

globalThis.self = globalThis;
const THREE = await need('three');
const { GLTFLoader } = await need('three/addons/loaders/GLTFLoader.js');
const PATIENCE_MS = 10000;

const texture = () => new THREE.DataTexture(new Uint8Array(4), 1, 1);
THREE.TextureLoader.prototype.load = (url, done) => (done(texture()), texture());
THREE.ImageBitmapLoader.prototype.load = (url, done) => done({ width: 1, height: 1, close() {} });
THREE.FileLoader.prototype.load = function load(url, done, progress, fail) {
    const data = /^data:/i.test(url);
    const bytes = data ? fetch(url).then((answer) => answer.arrayBuffer())
        : fs.readFile(decodeURIComponent(url)).then((b) => b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength));
    bytes.then((buffer) => done(this.responseType === 'arraybuffer' ? buffer : new TextDecoder().decode(buffer))).catch(fail);
};

// glTF wants unit quaternions; files hold 0.707. sinew makes them unit, three.js scales the model by what is missing.
function makeUnit(gltf) {
    gltf.scene.traverse((object) => object.quaternion.normalize());
    for (const track of gltf.animations.flatMap((clip) => clip.tracks)) {
        const isSpline = track.createInterpolant.isInterpolantFactoryMethodGLTFCubicSpline;
        if (track.ValueTypeName !== 'quaternion' || isSpline) continue;
        const q = new THREE.Quaternion();
        for (let i = 0; i < track.values.length; i += 4) q.fromArray(track.values, i).normalize().toArray(track.values, i);
    }
}

// Fails where three.js fails, shows nothing, or waits for itself (a skin on one of its own joints).
export async function openScene(file) {
    const bytes = await fs.readFile(file);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const gltf = await new Promise((done, fail) => {
        setTimeout(() => fail(new Error('no answer')), PATIENCE_MS).unref();
        new GLTFLoader().parse(buffer, `${path.dirname(file)}/`, done, fail);
    });
    if (!gltf.scene) throw new Error('no scene, nothing is shown');
    makeUnit(gltf);
    return { gltf, mixer: new THREE.AnimationMixer(gltf.scene), clips: gltf.animations };
}

// The objects that show the primitives of a glTF node: the node itself, or children that are no nodes.
function primitivesOf(object, id, associations, found = []) {
    const link = associations.get(object);
    if (link?.primitives !== undefined && object.geometry) found[link.primitives] = object;
    for (const child of object.children) {
        if (associations.get(child)?.nodes === undefined) primitivesOf(child, id, associations, found);
    }
    return found;
}

// three.js reads sets of influences beyond the first, but bends by the first alone, which it makes sum to 1: here all count, the
// first for what the others leave.
function bendByAll(object, sets, i, v) {
    const { skeleton, bindMatrix, bindMatrixInverse, geometry: { attributes } } = object;
    const sum = new THREE.Vector3(), bone = new THREE.Matrix4(), bent = new THREE.Vector3();
    const others = sets.slice(1).flatMap(([, weights]) => [0, 1, 2, 3].map((k) => weights.getComponent(i, k)));
    const left = 1 - others.reduce((total, weight) => total + weight, 0);
    v.fromBufferAttribute(attributes.position, i).applyMatrix4(bindMatrix);
    for (const [joints, weights] of sets) {
        for (let k = 0; k < 4; k++) {
            const joint = joints.getComponent(i, k), weight = weights.getComponent(i, k) * (weights === sets[0][1] ? left : 1);
            if (weight === 0) continue;
            bone.multiplyMatrices(skeleton.bones[joint].matrixWorld, skeleton.boneInverses[joint]);
            sum.addScaledVector(bent.copy(v).applyMatrix4(bone), weight);
        }
    }
    v.copy(sum).applyMatrix4(bindMatrixInverse);
}

function influencesOf({ isSkinnedMesh, geometry: { attributes } }) {
    const sets = [];
    if (!isSkinnedMesh || !attributes.joints_1) return null;
    for (let i = 0; i === 0 || attributes[`joints_${i}`]; i++)
        sets.push(i === 0 ? [attributes.skinIndex, attributes.skinWeight] : [attributes[`joints_${i}`], attributes[`weights_${i}`]]);
    return sets;
}

function verticesOf(object) {
    const count = object.geometry.attributes.position.count;
    const out = new Float64Array(count * 3);
    const v = new THREE.Vector3(), sets = influencesOf(object);
    for (let i = 0; i < count; i++) {
        if (sets) bendByAll(object, sets, i, v);
        else if (object.getVertexPosition) object.getVertexPosition(i, v);
        else v.fromBufferAttribute(object.geometry.attributes.position, i);
        v.applyMatrix4(object.matrixWorld).toArray(out, i * 3);
    }
    return out;
}

// clip null: at rest. Answers a map from "node/primitive" to vertices, x y z after x y z.
export function poseScene(scene, clip, time) {
    const { gltf, mixer } = scene;
    mixer.stopAllAction();
    if (clip) {
        const action = mixer.clipAction(clip);
        action.reset();
        action.setLoop(THREE.LoopOnce, 1);
        action.clampWhenFinished = true;
        action.play();
        mixer.setTime(time);
    }
    gltf.scene.updateMatrixWorld(true);
    const parts = new Map();
    gltf.scene.traverse((object) => {
        object.skeleton?.update();
        const id = gltf.parser.associations.get(object)?.nodes;
        if (id === undefined) return;
        primitivesOf(object, id, gltf.parser.associations).forEach((shown, i) => parts.set(`${id}/${i}`, shown));
    });
    for (const [key, object] of parts) parts.set(key, verticesOf(object));
    return parts;
}
