// `npm run bundle`: builds dist/ and dist/function.zip for deployment.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { zipSync } from 'fflate';
import { type BundleFiles, MAIN, bundleFiles } from './bundle/bundle-files.ts';
import { createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { PROJECT_DIRECTORY, projectPath } from './cli/project.ts';
import { requireSqlDirectory, sqlOption } from './cli/options.ts';
import { cannotWrite } from './cli/write-file.ts';

const ZIP = 'function.zip';
/** gcloud uploads the folder, so it ignores the files that the zip leaves out. */
const GCLOUD_IGNORE = `.gcloudignore\n${ZIP}\nnode_modules\n*.map\n`;
/** The folders and files of a bundle; other files in the output folder are not changed. */
const OWN = ['functions', 'package.json', 'package-lock.json', ZIP, '.gcloudignore'];

export const main = createMain('npm run bundle --', (program, { print }) => {
  program
    .option('--out <dir>', '', projectPath('dist'))
    .addOption(sqlOption())
    .action(async (options) => {
      const out = resolve(options.out);
      requireOwnFolder(out, options.out);
      const files = await bundleFiles(PROJECT_DIRECTORY, requireSqlDirectory(options.sql));
      const zip = zipFiles(files);
      try {
        writeBundle(out, [...files, ['.gcloudignore', GCLOUD_IGNORE], [ZIP, zip]]);
      } catch (error) {
        throw cannotWrite(options.out, error);
      }
      const sha256 = createHash('sha256').update(zip).digest('hex');
      const size = (zip.length / 1024).toFixed(0);
      print(`${join(options.out, ZIP)}  ${size} KiB  sha256 ${sha256}`);
    });
  addHelp(program, 'bundle');
});

/** Throws for a folder in which replacing the bundle would delete other files. */
function requireOwnFolder(out: string, name: string): void {
  if (!OWN.some((own) => existsSync(join(out, own)))) return;
  try {
    const text = readFileSync(join(out, 'package.json'), 'utf8');
    if ((JSON.parse(text) as { main?: unknown }).main === MAIN) return;
  } catch {
    // The folder contains no bundle.
  }
  throw new Error(`${name} contains other files: choose another folder with --out.`);
}

/** Replaces an earlier bundle once all files are written. Synchronous, so that no signal interrupts it. */
function writeBundle(out: string, files: readonly [string, string | Uint8Array][]): void {
  const unfinished = join(out, `.bundle-${process.pid}`);
  try {
    for (const [path, content] of files) {
      mkdirSync(dirname(join(unfinished, path)), { recursive: true });
      writeFileSync(join(unfinished, path), content);
    }
    for (const own of OWN) {
      rmSync(join(out, own), { recursive: true, force: true });
      renameSync(join(unfinished, own), join(out, own));
    }
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Reproducible: order, times and modes are fixed. Source maps are only in the folder: the
 * functions do not read them, and a build of the same commit recreates them.
 */
function zipFiles(files: BundleFiles): Uint8Array {
  const deployed = [...files].filter(([path]) => !path.endsWith('.map'));
  return zipSync(Object.fromEntries(deployed), {
    level: 9,
    // Zip files contain local time, so the time is given in local time: the same in every time zone.
    mtime: new Date(1980, 0, 1),
    os: 3,
    attrs: (0o100644 << 16) >>> 0,
  });
}

if (import.meta.main) void runMain(main);
