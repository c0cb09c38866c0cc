'use strict';
// What the scripts of the page share. web/build.mjs joins them to one, in this order: common, engine, zip, files, view, panels, export,
// page. Files are parsed only in the worker.
const $ = (id) => document.getElementById(id);
const SHOW = {
    bones: 1, names: 2, axes: 4, attachments: 8, wireframe: 16, normals: 32, weights: 64, bounds: 128, ground: 256, shadow: 512, plain: 1024, lights: 2048,
    selection: 4096,
};
// As the keys of `sinew view`.
const TOGGLES = [
    ['bones', 'Bones', 'b'], ['names', 'Names', 'n'], ['axes', 'Axes', 'a'], ['weights', 'Weights', 'e'], ['wireframe', 'Wireframe', 'w'],
    ['ground', 'Ground', 'g'], ['shadow', 'Shadow', 'd'], ['plain', 'No textures', 't'], ['attachments', 'Attachments', 'm'], ['normals', 'Normals', 'v'],
    ['bounds', 'Bounds', 'x'], ['lights', 'Lights', 'l'],
];
const TEAMS = ['red', 'blue', 'teal', 'purple', 'yellow', 'orange', 'green', 'pink', 'gray', 'light blue', 'dark green', 'brown', 'maroon', 'navy', 'turquoise',
    'violet', 'wheat', 'peach', 'mint', 'lavender', 'coal', 'snow', 'emerald', 'peanut'];
const ANGLES = { 1: [0.6, 0.3], 2: [0, 0], 3: [Math.PI, 0], 4: [Math.PI / 2, 0], 5: [-Math.PI / 2, 0], 6: [0, Math.PI / 2], 7: [0, -Math.PI / 2] };
const SPEEDS = [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16];
const THUMB_SIDE = 192, FILES_MAX = 100000;

// Elements are made by hand: text from files never becomes markup.
function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (name.startsWith('aria-') || name === 'role' || name === 'for') element.setAttribute(name, value);
        else element[name] = value;
    }
    element.append(...children);
    return element;
}
