// Builds the functions to measure: the service as deployed, and those that it is compared with.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import type { EndpointContent } from '../../functions/endpoints/endpoint.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';

/** In the project, so that Node finds node_modules; each run replaces it. */
const FOLDER = 'artifacts/bench';

export type FunctionFolders = Awaited<ReturnType<typeof buildFunctions>>;

export async function buildFunctions() {
  rmSync(FOLDER, { recursive: true, force: true });
  const service = join(FOLDER, 'service');
  const bundle = ['scripts/bundle.ts', '--out', service, '--sql', TEST_SQL];
  await promisify(execFile)(process.execPath, bundle);
  // As the build in the cloud does.
  await promisify(execFile)('npm', ['run', '--silent', 'gcp-build'], { cwd: service });
  const unbatched = join(FOLDER, 'unbatched');
  cpSync(service, unbatched, { recursive: true });
  const catalogue = join(unbatched, 'functions/catalogue.json');
  const compiled = JSON.parse(readFileSync(catalogue, 'utf8')) as { endpoints: EndpointContent[] };
  const endpoints = compiled.endpoints.map(({ warming: _, ...endpoint }) => endpoint);
  writeFileSync(catalogue, JSON.stringify({ ...compiled, endpoints }));
  const handwritten = await compile('handwritten');
  mkdirSync(join(handwritten, 'queries'));
  for (const { name, sql } of loadCatalogue(TEST_SQL).endpoints) {
    writeFileSync(join(handwritten, 'queries', `${name}.sql`), sql);
  }
  return {
    service,
    /** The service without `warm.sql` files, so that warming runs one job for each result. */
    unbatched,
    bare: await compile('bare'),
    bareFirestore: await compile('bare-firestore'),
    handwritten,
    asJob: await compileAsJob(service),
  };
}

/** The service with `as-job.ts` in place of its query runner. */
async function compileAsJob(service: string): Promise<string> {
  const filter = /^\.\/google\/query-runner\.ts$/;
  const path = resolve('test/bench/functions/as-job.ts');
  const folder = await compile('as-job', {
    entryPoints: { index: 'functions/index.ts' },
    bundle: true,
    packages: 'external',
    plugins: [{ name: 'as-job', setup: (own) => own.onResolve({ filter }, () => ({ path })) }],
  });
  cpSync(join(service, 'functions'), folder, { recursive: true });
  return folder;
}

/** Compiles a function without bundling: packages are loaded from node_modules. */
async function compile(name: string, options: BuildOptions = {}): Promise<string> {
  const outdir = join(FOLDER, name);
  await build({
    // The default is where this process has started.
    absWorkingDir: process.cwd(),
    entryPoints: { index: `test/bench/functions/${name}.ts` },
    outdir,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    ...options,
  });
  const manifest = { name, private: true, type: 'module', main: 'index.js' };
  writeFileSync(join(outdir, 'package.json'), JSON.stringify(manifest));
  return outdir;
}
