// node test_mikktspace.mjs TOOL SAMPLES SHARED
import path from 'node:path';
import { exists, finish, need, skipAll } from './judge.mjs';
import { compareTangents } from './tangents.mjs';

const [tool, samples, shared] = process.argv.slice(2);
const { default: mikktspace } = await need('mikktspace');
const program = path.join(path.dirname(tool), 'tests', 'print_tangents');
if (!await exists(program)) skipAll(`${program} is not there`);
const corpus = path.join(shared ?? '', 'corpus/gltf');
finish(await compareTangents(program, mikktspace.generateTangents, await exists(corpus) ? [samples, corpus] : [samples]));
