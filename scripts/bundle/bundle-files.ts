// Builds the files of a bundle: the compiled functions, the saved queries, the console and a package.json.
import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { build } from 'esbuild';
import { COMPILED_CATALOGUE } from '../../functions/endpoints/catalogue.ts';
import { checkCatalogue } from '../check/check-endpoint.ts';
import { compileCatalogue } from '../compile/inspect-catalogue.ts';
import { CONSOLE_PAGE, buildConsole } from '../compile/console-page.ts';
import { leanFirestore } from './lean-firestore.ts';
import { startGoogleSql } from '../local-bigquery/index.ts';

/** Contents by path, relative to the bundle, with `/` between folders. */
export type BundleFiles = ReadonlyMap<string, Uint8Array>;

/** Not bundled: functions must register in the same copy of the framework that runs them. */
const EXTERNAL = '@google-cloud/functions-framework';

export const MAIN = 'functions/start.js';

/**
 * Loads the functions once in the cloud build, so that Node stores their compiled code: see functions/start.ts. This
 * machine cannot, because compiled code depends on the version of Node and the processor. A failure only costs speed.
 */
const COMPILE = `GOOGLE_CLOUD_PROJECT=build node ${MAIN} || true`;

/** Globals that bundled CommonJS packages need in every file. */
const COMMONJS_GLOBALS = [
  "import{createRequire as createRequire_}from'node:module'",
  'const require=createRequire_(import.meta.url),__filename=import.meta.filename,__dirname=import.meta.dirname;',
].join(';');

/** Reproducible, in any directory and on any machine. */
export async function bundleFiles(root: string, sqlDirectory: string): Promise<BundleFiles> {
  await buildConsole();
  const catalogue = new TextEncoder().encode(await compiledCatalogue(sqlDirectory));
  const files = new Map<string, Uint8Array>([
    ...(await bundleCode(root)),
    ['functions/console/dist/console.html', readFileSync(CONSOLE_PAGE)],
    [`functions/${COMPILED_CATALOGUE}`, catalogue],
    ...packageFiles(root),
  ]);
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Throws one Error with all faults that `check` finds without tests: what it refuses is not deployed. */
async function compiledCatalogue(sqlDirectory: string): Promise<string> {
  const engine = await startGoogleSql();
  try {
    return compileCatalogue(await checkCatalogue(engine, sqlDirectory));
  } finally {
    await engine.close();
  }
}

/** ES modules, split at each `import()`: BigQuery's client is loaded with the first query. Names are kept for messages. */
export async function bundleCode(root: string): Promise<[string, Uint8Array][]> {
  // esbuild does not write the files: paths in source maps would depend on the output directory.
  const outdir = join(root, 'dist');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { [MAIN.replace(/\.js$/, '')]: 'functions/start.ts' },
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    chunkNames: 'functions/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: [EXTERNAL],
    plugins: [leanFirestore()],
    banner: { js: COMMONJS_GLOBALS },
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'external',
    // Otherwise the target of a linked node_modules would appear in names and maps.
    preserveSymlinks: true,
    // Not the file of the same name: it changes the hashes, though no code.
    tsconfigRaw: {},
    logLevel: 'silent',
  });
  const inBundle = (path: string): string => path.slice(outdir.length + 1).replaceAll(sep, '/');
  return [
    ...outputFiles.map(({ path, contents }): [string, Uint8Array] => [inBundle(path), contents]),
    // Where the bundled code looks for it: beside itself.
    ['functions/partitions.sql', readFileSync(join(root, 'functions/warming/partitions.sql'))],
  ];
}

/**
 * With a lockfile, so that the build in the cloud installs the tested versions. It lists all packages of the project except
 * those of its development: npm does not install what the manifest does not need.
 */
function packageFiles(root: string): [string, Uint8Array][] {
  const { name, version } = readJson<{ name: string; version: string }>(root, 'package.json');
  const { packages } = readJson<Lockfile>(root, 'package-lock.json');
  const { version: locked } = packages[`node_modules/${EXTERNAL}`] ?? {};
  if (locked === undefined) throw new Error(`package-lock.json does not list ${EXTERNAL}.`);
  const dependencies = { [EXTERNAL]: locked };
  const manifest = {
    ...{ name, version, private: true, type: 'module', main: MAIN },
    scripts: { 'gcp-build': COMPILE },
    dependencies,
  };
  const deployed = Object.entries(packages).filter(([, { dev }]) => !dev);
  const listed = { ...Object.fromEntries(deployed), '': { name, version, dependencies } };
  const lockfile = { name, version, lockfileVersion: 3, requires: true, packages: listed };
  return [
    ['package.json', toJson(manifest)],
    ['package-lock.json', toJson(lockfile)],
  ];
}

function readJson<T>(root: string, path: string): T {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
}

function toJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** The used parts of a version 3 lockfile, by path (`node_modules/a/node_modules/b`). */
interface Lockfile {
  packages: Record<string, { version?: string; dev?: boolean }>;
}
