// Reads the tests of an endpoint, `tests/*.json`, and finds all their faults.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Reason, REASONS, isReason } from '../../../functions/core/errors.ts';
import { type JsonDocument, readItems, readJsonDocument } from '../../faults/json-document.ts';
import { pointerStep, schemaCheck } from '../../faults/schema-error.ts';
import schema from '../../../sql/tests.schema.json' with { type: 'json' };
import { createTableRowEncoder, InvalidValueError } from '../../local-bigquery/index.ts';
import type { EncodedRow } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import { checkSample } from '../check-sources.ts';
import { type DefinitionFault, byPlace } from '../../faults/definition-fault.ts';

/** The rows of the tables, a request, and what is expected of its answer. */
export interface EndpointCase {
  file: string;
  index: number;
  name: string;
  /** The value of CURRENT_TIMESTAMP; undefined if the case does not set it. */
  nowMs: number | undefined;
  /** By the name of the table; all others are empty. */
  rows: ReadonlyMap<string, readonly EncodedRow[]>;
  parameters: string;
  /** Undefined if the case has none: then it fails. */
  expected: ExpectedAnswer | undefined;
  fault: (message: string) => DefinitionFault;
}

/** A result is the rows as the HTTP API returns them. */
type ExpectedAnswer = { result: readonly unknown[] } | { reason: Reason };

interface WrittenCase {
  name: string;
  now?: string;
  tables?: Record<string, object[] | string>;
  parameters?: string;
  expected_result?: unknown[];
  expected_http_status?: number;
  expected_reason?: string;
}

/** Adds a fault at a JSON pointer, which begins at the case. */
type Report = (pointer: string, message: string) => void;

const check = schemaCheck(schema.items, 'the case');

/** The cases without a fault, in the order of the files and their lists. `directory` is the folder of the endpoint. */
export async function readCases(directory: string, sources: readonly Source[]) {
  const tests = join(directory, 'tests');
  const faults: DefinitionFault[] = [];
  const cases: EndpointCase[] = [];
  /** Where each name is used first. */
  const names = new Map<string, string>();
  /** The rows of each file and table: read once, however many cases name it. */
  const read = new Map<string, EncodedRow[]>();
  for (const item of readItems(directory, faults)) {
    if (!item.isDirectory() || item.name === 'tests') continue;
    const message = 'is not read: the tests of an endpoint are in the folder tests/';
    faults.push({ file: join(directory, item.name), message });
  }
  for (const item of readItems(tests, faults, true)) {
    if (!item.name.endsWith('.json') || item.isDirectory()) continue;
    const file = join(tests, item.name);
    const document = readJsonDocument(file, faults);
    if (document?.value === undefined) continue;
    if (!Array.isArray(document.value)) {
      faults.push(document.faultAt('', 'must be a list of cases, such as [{ "name": "…" }]'));
      continue;
    }
    for (const [index, value] of (document.value as unknown[]).entries()) {
      cases.push(...(await readCase(document, file, index, value)));
    }
  }
  return { cases, faults };

  /** An empty list for a case with a fault. */
  async function readCase(document: JsonDocument, file: string, index: number, value: unknown) {
    const own: DefinitionFault[] = [];
    const report: Report = (pointer, message) => {
      own.push(document.faultAt(`/${index}${pointer}`, message));
    };
    const ofSchema = check(value);
    if (ofSchema.length > 0) {
      for (const { pointer, message } of ofSchema) report(pointer, message);
      faults.push(...own.sort(byPlace));
      return [];
    }
    const written = value as WrittenCase;
    const { name, now, parameters = '' } = written;
    const fault = (message: string): DefinitionFault => document.faultAt(`/${index}`, message);
    const before = names.get(name);
    if (before === undefined) names.set(name, `${file}:${fault('').line}`);
    else report('/name', `the name is already used in ${before}`);
    const rows = new Map<string, readonly EncodedRow[]>();
    for (const [table, given] of Object.entries(written.tables ?? {})) {
      const found = await rowsOf(table, given, report, own);
      if (found !== undefined) rows.set(table, found);
    }
    const expected = readExpected(written, report);
    faults.push(...own);
    if (own.length > 0) return [];
    const nowMs = now === undefined ? undefined : Date.parse(now);
    return [{ file, index, name, nowMs, rows, parameters, expected, fault }];
  }

  async function rowsOf(
    table: string,
    given: object[] | string,
    report: Report,
    own: DefinitionFault[],
  ): Promise<readonly EncodedRow[] | undefined> {
    const at = `/tables${pointerStep(table)}`;
    const source = sources.find(({ name }) => name === table);
    if (source === undefined) {
      const known = sources.map(({ name }) => name).join(', ');
      report(at, `there is no table ${table}; sql/sources has ${known}`);
      return undefined;
    }
    if (typeof given !== 'string') return encodeRows(source, given, at, report);
    const key = JSON.stringify([table, given]);
    const file = join(tests, given);
    if (!existsSync(file)) {
      report(at, `${given} is missing in tests/`);
      return undefined;
    }
    const rows = read.get(key) ?? [];
    if (!read.has(key)) own.push(...(await checkSample(file, source, (row) => rows.push(row))));
    read.set(key, rows);
    return rows;
  }
}

function readExpected(written: WrittenCase, report: Report): ExpectedAnswer | undefined {
  const { expected_result: result, expected_http_status: status = 200 } = written;
  const { expected_reason: reason } = written;
  if (result !== undefined && status !== 200) {
    report('/expected_result', `expected_result is not allowed with status ${status}`);
  }
  if (reason === undefined) return result && { result };
  if (!isReason(reason)) {
    const others = Object.entries(REASONS).filter(([, { code }]) => code === status);
    const known = others.map(([name]) => name).join(', ');
    const hint = known === '' ? '' : `; those with status ${status} are ${known}`;
    report('/expected_reason', `there is no reason ${reason}${hint}`);
    return undefined;
  }
  const { code } = REASONS[reason];
  if (code !== status) report('/expected_reason', `${reason} has status ${code}, not ${status}`);
  return { reason };
}

function encodeRows(source: Source, rows: readonly object[], at: string, report: Report) {
  const encode = createTableRowEncoder(source);
  return rows.flatMap((row, index) => {
    try {
      return [encode(row)];
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      report(`${at}/${index}`, `the row does not fit ${source.name}: ${error.message}`);
      return [];
    }
  });
}
