// node test_three_pose.mjs TOOL SAMPLES SHARED
import path from 'node:path';
import { exists, finish, need } from './judge.mjs';
import { comparePoses } from './three_pose.mjs';

const [tool, samples, shared] = process.argv.slice(2);
await need('three');
const corpus = path.join(shared ?? '', 'corpus/gltf');
finish(await comparePoses(tool, await exists(corpus) ? [samples, corpus] : [samples]));
