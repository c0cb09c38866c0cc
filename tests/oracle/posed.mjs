// Posed vertices of a file, by sinew, against those of what was made of it, by three.js.
function distance(a, b) {
    let worst = 0;
    for (let i = 0; i < a.length; i += 3) worst = Math.max(worst, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
    return worst;
}

// Hidden: scaled away. Weights sum to 1 but for rounding.
export function isPoint(vertices) {
    const reach = vertices.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    return distance(vertices, vertices.map((value, i) => vertices[i % 3])) <= 1e-6 * reach;
}

// Before a clip plays, a file shows what its standing clip shows at its start: as many parts of each size.
export function restsAs(standing, theirs) {
    const sizes = (all) => all.filter((vertices) => !isPoint(vertices)).map((vertices) => vertices.length).sort((a, b) => a - b).join();
    return sizes(standing.filter((part) => part.visible).map((part) => part.positions)) === sizes([...theirs.values()].map((vertices) => [...vertices]));
}

// Whether saving changed what is hidden at rest.
export const hasOtherRest = (json) => json.nodes.some((node) => node.extras?.sinew_rest);

// The largest distance: each of theirs that is more than a point against the nearest visible part of ours that has as many vertices;
// none is used twice, and none that is more than a point may be left.
export function compareParts(parts, theirs) {
    const left = parts.filter((part) => part.visible);
    let worst = 0;
    for (const vertices of theirs.values()) {
        if (isPoint(vertices)) continue;
        let best = -1, least = Infinity;
        left.forEach((part, i) => {
            const off = vertices.length === part.positions.length ? distance(part.positions, vertices) : Infinity;
            if (off < least) [best, least] = [i, off];
        });
        if (best >= 0) left.splice(best, 1);
        worst = Math.max(worst, least);
    }
    return theirs.size > 0 && left.every((part) => isPoint(part.positions)) ? worst : Infinity;
}
