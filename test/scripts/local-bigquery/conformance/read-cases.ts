// Reads the conformance cases: queries, and their results according to BigQuery's SQL reference.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import type { Cell } from './run-case.ts';

interface Case {
  /** What the query shows. */
  name: string;
  sql: string;
  /** In the order of the columns, or by their names where the case is about these. A TIMESTAMP is in ISO 8601. */
  rows: (Cell[] | Record<string, Cell>)[];
}

const folder = join(import.meta.dirname, 'cases');

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.sql'),
);

/** By family. Each case is a comment with its name, the query, and a comment for each row, `--> ` and JSON. */
export const families = files.map((file): [string, Case[]] => {
  const [, , ...cases] = readFileSync(join(folder, file), 'utf8').split(/^-- /m);
  return [basename(file, '.sql'), cases.map(readCase)];
});

function readCase(text: string): Case {
  const [name = '', ...lines] = text.trimEnd().split('\n');
  const rows = lines.filter((line) => line.startsWith('--> '));
  return {
    name,
    sql: lines.slice(0, lines.length - rows.length).join('\n'),
    rows: rows.map((row) => JSON.parse(row.slice(4)) as Cell[]),
  };
}

/** The whole messages, with the line and column of the author's text, and by item what is not run locally. */
export const { errors = [], ...notRun } = {
  ...readExpectations(join(import.meta.dirname, 'errors.sql')),
  ...readExpectations(join(import.meta.dirname, 'not-run.sql')),
};
