// Bundles functions/console into one HTML page.
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { cannotWrite, writeFile } from '../cli/write-file.ts';

const SOURCE = join(import.meta.dirname, '../../functions/console');

/** The file from which `functions/index.ts` reads the page. */
export const CONSOLE_PAGE = join(SOURCE, 'dist/console.html');

/** Writes the page; several calls at the same time do not conflict. */
export async function buildConsole(file: string = CONSOLE_PAGE): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCE, 'main.tsx'), join(SOURCE, 'page/style.css')],
    outdir: 'out',
    bundle: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    write: false,
    format: 'esm',
    charset: 'utf8',
    // The first browser versions with light-dark().
    target: ['chrome123', 'firefox120', 'safari17.5'],
    logLevel: 'silent',
  });
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  const template = await readFile(join(SOURCE, 'page/page.html'), 'utf8');
  const page = template
    // Indentation is for those who read the source.
    .replaceAll(/\n\s+/g, '\n')
    .replace('<style></style>', () => `<style>${textOf('.css')}</style>`)
    .replace(
      /<script([^>]*)><\/script>/,
      (_, type) => `<script${String(type)}>${textOf('.js')}</script>`,
    );
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw cannotWrite(file, error);
  }
  writeFile(file, page);
}
