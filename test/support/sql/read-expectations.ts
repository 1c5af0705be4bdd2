// Reads a file of queries, or other texts, and what is expected of each.
import { readFileSync } from 'node:fs';

export type Expectation = [text: string, expected: string];

/**
 * The parts of a file by their headings, `-- # heading`. After each text there is a comment with what is expected of it,
 * `--> ` or, of a failure, `--! `; several such lines are joined. Lines that begin with `--- ` explain, and are left out.
 */
export function readExpectations(file: string): Record<string, Expectation[]> {
  const parts = readFileSync(file, 'utf8')
    .replaceAll(/^--- .*\n/gm, '')
    .split(/^-- # /m);
  const read = parts.slice(1).map((part) => {
    const [heading = ''] = part.split('\n', 1);
    return [heading, expectationsIn(part.slice(heading.length))] as const;
  });
  return Object.fromEntries(read);
}

function expectationsIn(part: string): Expectation[] {
  return [...part.matchAll(/\n+([^]+?)\n((?:--[>!].*(?:\n|$))+)/g)].map(
    ([, text = '', expected = '']) => [text, expected.trimEnd().replaceAll(/^--[>!] ?/gm, '')],
  );
}
