// Reads the tables of the READMEs, for tests that compare them with the code.
import { readFileSync } from 'node:fs';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';

/** The rows of the first table under a heading with this first column, without back-ticks. */
export function tableUnder(page: string, heading: string, column: string): string[][] {
  const lines = readFileSync(page, 'utf8').split(`\n${heading}\n`)[1]?.split('\n') ?? [];
  const start = lines.findIndex((line) => line.startsWith(`| ${column} `));
  if (start === -1) throw new Error(`${page} has no table of ${column} under ${heading}`);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** Fails if the README of an endpoint has another id, other parameters or other columns than the endpoint. */
export function expectReadmeTables({ name, id, parameters, row }: Endpoint): void {
  const page = `sql/endpoints/${name}/README.md`;
  expect(readFileSync(page, 'utf8')).toContain(`\nId: \`${id}\`\n`);
  expect(
    tableUnder(page, '## Parameters', 'parameter').map(([parameter, needed]) => [
      parameter,
      needed,
    ]),
  ).toEqual(
    Object.entries(parameters).map(([parameter, { required }]) => [
      parameter,
      required ? 'yes' : 'no',
    ]),
  );
  expect(tableUnder(page, '## Columns', 'column').map(([column]) => column)).toEqual(
    Object.keys(row),
  );
}
