// node test_validate.mjs TOOL SAMPLES SHARED
import { finish } from './judge.mjs';
import { validate } from './validate.mjs';

finish(await validate([process.argv[3]]));
