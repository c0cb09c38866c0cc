// node test_gltf_corpus.mjs TOOL SAMPLES SHARED
import path from 'node:path';
import { exists, finish, skipAll } from './judge.mjs';
import { checkCorpus } from './gltf_corpus.mjs';

const [tool, , shared] = process.argv.slice(2);
const corpus = path.join(shared ?? '', 'corpus/gltf');
if (!await exists(corpus)) skipAll(`${corpus} is not there`);
finish(await checkCorpus(tool, corpus, false));
