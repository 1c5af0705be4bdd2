// The tutorials and recipes of docs/: their blocks, and a directory in which those of bash have run.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { testDirectory } from '../temporary-directory.ts';
import { TEST_SQL } from './test-sql.ts';

const [beforeTests = '', fromTests = ''] = readFileSync(
  'docs/tutorials/two-tables.md',
  'utf8',
).split('\n## 4. Test the endpoint\n');
/** Two tables and an endpoint. */
export const EXAMPLE = beforeTests;
/** Tests of the endpoint of `EXAMPLE`. */
export const TESTS = fromTests;
/** The endpoint `shop.purchases` over Google Analytics' export. */
export const SHARDS = readFileSync('docs/tutorials/sharded-tables.md', 'utf8');
/** Queries over dates that a call may leave out. */
export const DATES = readFileSync('docs/reference/parameters.md', 'utf8');

/** The contents of the blocks of a page, or a part of one, in one language. */
export function readmeBlocks(language: string, page: string): string[] {
  const found = page.matchAll(/^```(\w+)\n([^]*?)^```$/gm);
  return [...found].filter(([, name]) => name === language).map(([, , text]) => text ?? '');
}

/**
 * Runs the bash blocks of pages on 2026-11-20, next to a copy of the tests' `sql/`. Returns the directory that has
 * `sql/`.
 */
export function runReadme(...pages: string[]): string {
  const directory = testDirectory('readme-');
  cpSync(TEST_SQL, join(directory, 'sql'), { recursive: true });
  const day =
    'date() { case "$*" in "-u +%F") echo 2026-11-20;; "-u +%Y%m%d") echo 20261120;; esac; }';
  // Of `npm run new -- …`, on the copy.
  const npm = `npm() { shift 3; '${process.execPath}' '${resolve('scripts/new.ts')}' --directory sql "$@"; }`;
  for (const block of pages.flatMap((page) => readmeBlocks('sh', page))) {
    execFileSync('bash', ['-euc', `${day}\n${npm}\n${block}`], { cwd: directory, stdio: 'pipe' });
  }
  return directory;
}
