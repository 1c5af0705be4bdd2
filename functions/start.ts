// The entry point of a bundle: sets up V8, turns on the compile cache next to the functions, then loads them.
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

// The objects of a request that waits for BigQuery live long, so V8 would create those of all later requests in its old space.
// There the garbage of each hit keeps that of the next ones alive: hits would be a fifth slower (docs/design-notes.md).
setFlagsFromString('--no-allocation-site-pretenuring');

// The cloud build writes it (`gcp-build` in the bundle's package.json), with the version of Node that runs the
// functions. Where it is missing, or of another version, the code is compiled as usual.
enableCompileCache(`${import.meta.dirname}/compiled`);
await import('./index.ts');
