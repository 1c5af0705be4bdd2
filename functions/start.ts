// The entry point of a bundle: turns on the compile cache next to the functions, then loads them.
import { enableCompileCache } from 'node:module';

// The cloud build writes it (`gcp-build` in the bundle's package.json), with the version of Node that runs the
// functions. Where it is missing, or of another version, the code is compiled as usual.
enableCompileCache(`${import.meta.dirname}/compiled`);
await import('./index.ts');
