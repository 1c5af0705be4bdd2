// The tables of the README, for tests that hold them against the code.
import { readFileSync } from 'node:fs';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';

const README = readFileSync('README.md', 'utf8');

/** The rows of the first table under a heading, each a list of cells without back-ticks. */
export function tableUnder(heading: string, header: string): string[][] {
  const chapter = README.slice(README.indexOf(`\n${heading}\n`));
  const lines = chapter.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|') && line.includes(header));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** Fails where the README has other parameters or columns than the endpoint, or not its id. */
export function expectReadmeTables({ name, id, parameters, row }: Endpoint): void {
  const heading = `### \`${name}\``;
  expect(README).toContain(id);
  expect(
    tableUnder(heading, 'parameter').map(([parameter, needed]) => [parameter, needed]),
  ).toEqual(
    Object.entries(parameters).map(([parameter, { required }]) => [
      parameter,
      required ? 'yes' : 'no',
    ]),
  );
  expect(tableUnder(heading, 'column').map(([column]) => column)).toEqual(Object.keys(row));
}
