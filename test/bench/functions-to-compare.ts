// Builds the functions to measure: the service as deployed, and those that it is compared with.
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
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
  const handwritten = await compile('handwritten');
  mkdirSync(join(handwritten, 'queries'));
  for (const { name, sql } of loadCatalogue(TEST_SQL).endpoints) {
    writeFileSync(join(handwritten, 'queries', `${name}.sql`), sql);
  }
  return {
    service,
    bare: await compile('bare'),
    bareFirestore: await compile('bare-firestore'),
    handwritten,
  };
}

/** Compiles a function without bundling: packages are loaded from node_modules. */
async function compile(name: string): Promise<string> {
  const outdir = join(FOLDER, name);
  await build({
    // The default is where this process has started.
    absWorkingDir: process.cwd(),
    entryPoints: { index: `test/bench/functions/${name}.ts` },
    outdir,
    format: 'esm',
    platform: 'node',
    target: 'node24',
  });
  const manifest = { name, private: true, type: 'module', main: 'index.js' };
  writeFileSync(join(outdir, 'package.json'), JSON.stringify(manifest));
  return outdir;
}
