// The examples of sql/README.md: their blocks, and a directory in which those of bash have run.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { testDirectory } from '../temporary-directory.ts';
import { TEST_SQL } from './test-sql.ts';

const README = readFileSync('sql/README.md', 'utf8');
const sectionOf = (heading: string): string => README.split(heading)[1]?.split('\n## ')[0] ?? '';

/** Two tables and an endpoint. */
export const EXAMPLE = sectionOf('### Two tables and an endpoint, from start to end\n');
/** Tests of the endpoint of `EXAMPLE`. */
export const TESTS = sectionOf('\n## Tests of an endpoint\n');
/** Queries over dates that a call may leave out. */
export const DATES = sectionOf('\n### Dates that a call may leave out\n').split('\n### ')[0] ?? '';
/** The endpoint `shop.purchases` over Google Analytics' export. */
export const SHARDS = sectionOf('\n### Tables sharded by day\n').split('\n### ')[0] ?? '';

/** The contents of the blocks of a section in one language. */
export function readmeBlocks(language: string, section: string): string[] {
  const found = section.matchAll(/^```(\w+)\n([^]*?)^```$/gm);
  return [...found].filter(([, name]) => name === language).map(([, , text]) => text ?? '');
}

/**
 * Runs the bash blocks of sections on 2026-11-20, beside a copy of the tests' `sql/`. Returns the directory that has
 * `sql/`.
 */
export function runReadme(...sections: string[]): string {
  const directory = testDirectory('readme-');
  cpSync(TEST_SQL, join(directory, 'sql'), { recursive: true });
  const day =
    'date() { case "$*" in "-u +%F") echo 2026-11-20;; "-u +%Y%m%d") echo 20261120;; esac; }';
  // Of `npm run new -- …`, on the copy.
  const npm = `npm() { shift 3; '${process.execPath}' '${resolve('scripts/new.ts')}' --directory sql "$@"; }`;
  for (const block of sections.flatMap((section) => readmeBlocks('sh', section))) {
    execFileSync('bash', ['-euc', `${day}\n${npm}\n${block}`], { cwd: directory, stdio: 'pipe' });
  }
  return directory;
}
