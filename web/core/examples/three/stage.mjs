// A scene with light, and a camera that sees a whole object.
import * as THREE from 'three';

export function makeStage() {
    const renderer = new THREE.WebGLRenderer({ antialias: true }), scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(35, 1, 0.1, 10000);
    scene.background = new THREE.Color(0x30363d);
    const sun = new THREE.DirectionalLight(0xffffff, 2.5);
    sun.position.set(1, 2, 1.5);
    scene.add(sun, new THREE.HemisphereLight(0xffffff, 0x606060, 1.5));
    document.body.append(renderer.domElement);

    const fit = (object) => {
        const sphere = new THREE.Box3().setFromObject(object, true).getBoundingSphere(new THREE.Sphere());
        camera.position.copy(sphere.center).add(new THREE.Vector3(0.6, 0.35, 1).normalize().multiplyScalar(sphere.radius * 3.6));
        camera.lookAt(sphere.center);
    };
    // Calls `update` with the seconds since the first frame.
    const run = (update) => renderer.setAnimationLoop((milliseconds) => {
        renderer.setSize(innerWidth, innerHeight);
        camera.aspect = innerWidth / innerHeight;
        camera.updateProjectionMatrix();
        update(milliseconds / 1000);
        renderer.render(scene, camera);
        document.body.dataset.frames = String(Number(document.body.dataset.frames ?? 0) + 1);
    });
    return { scene, fit, run };
}

export const fetchBytes = async (address) => new Uint8Array(await (await fetch(address)).arrayBuffer());
