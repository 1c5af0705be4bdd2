// Reads the conformance cases: queries, and their results according to BigQuery's SQL reference.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/** Each query of a text with its message, which is a comment after it, `--! `. */
function readFailures(text: string): [sql: string, message: string][] {
  return [...text.matchAll(/\n*([^]+?)\n--! (.*)/g)].map(([, sql = '', message = '']) => [
    sql,
    message,
  ]);
}

/** The parts of a file of failures below each comment with a name. */
const partsOf = (file: string): [name: string, failures: [sql: string, message: string][]][] =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .split(/^-- /m)
    .slice(1)
    .map((part) => {
      const [name = ''] = part.split('\n', 1);
      return [name, readFailures(part.slice(name.length))];
    });

/** The whole messages, with the line and column of the author's text. */
export const [[, errors] = ['', []]] = partsOf('errors.sql');

/** By the beginning of an item in docs/reference/local-sql.md: the reasons why queries are not run locally. */
export const [, ...notRun] = partsOf('not-run.sql');
