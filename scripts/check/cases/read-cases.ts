// Reads the tests of an endpoint, `tests/*.json`, and finds everything that is wrong with them.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Reason, REASONS, isReason } from '../../../functions/core/errors.ts';
import { readText, type JsonDocument, parseJsonDocument } from '../../faults/read-document.ts';
import { pointerStep, schemaCheck } from '../../faults/schema-error.ts';
import schema from '../../../sql/tests.schema.json' with { type: 'json' };
import { createTableRowEncoder, InvalidValueError } from '../../local-bigquery/index.ts';
import type { EncodedRow } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/source.ts';
import { checkSample } from '../check-sources.ts';
import { type DefinitionFault, byPlace } from '../../faults/definition-fault.ts';

/** The rows of the tables, a request, and what is expected of its answer. */
export interface EndpointCase {
  /** The file, and the place of the case in its list. */
  file: string;
  index: number;
  name: string;
  /** What CURRENT_TIMESTAMP returns; undefined if the case does not say it. */
  nowMs: number | undefined;
  /** By the name of the table; all others are empty. */
  rows: ReadonlyMap<string, readonly EncodedRow[]>;
  parameters: string;
  /** Undefined if the case does not say it: then it cannot hold. */
  expected: ExpectedAnswer | undefined;
  fault: (message: string) => DefinitionFault;
}

/** A result is the rows as the wire writes them. */
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

/** What the cases of one endpoint share while they are read. */
interface Reading {
  directory: string;
  sources: readonly Source[];
  /** Where each name is used first. */
  names: Map<string, string>;
  faults: DefinitionFault[];
  /** The rows of each file and table, and whether there is a file: read once, however many cases name it. */
  files: Map<string, Promise<{ rows: EncodedRow[]; isThere: boolean }>>;
}

/** Adds a fault at a JSON pointer, which begins at the case. */
type Report = (pointer: string, message: string) => void;

const check = schemaCheck(schema.items, 'the case');

/** The cases without a fault, in the order of the files and their lists. `directory` is the folder of the endpoint. */
export async function readCases(directory: string, sources: readonly Source[]) {
  const tests = join(directory, 'tests');
  const faults: DefinitionFault[] = [];
  const cases: EndpointCase[] = [];
  if (!existsSync(tests)) return { cases, faults };
  const shared = { directory: tests, sources, faults };
  const reading: Reading = { ...shared, names: new Map(), files: new Map() };
  const files = (await readdir(tests, { withFileTypes: true }))
    .filter((item) => item.name.endsWith('.json') && !item.isDirectory())
    .map(({ name }) => name)
    .sort();
  for (const name of files) {
    const file = join(tests, name);
    const text = readText(file, faults);
    if (text === undefined) continue;
    const document = parseJsonDocument(file, text);
    faults.push(...document.faults);
    if (document.value === undefined) continue;
    if (!Array.isArray(document.value)) {
      faults.push(document.faultAt('', 'must be a list of cases, such as [{ "name": "…" }]'));
      continue;
    }
    for (const [index, value] of (document.value as unknown[]).entries()) {
      const read = await readCase(reading, document, file, index, value);
      if (read !== undefined) cases.push(read);
    }
  }
  return { cases, faults };
}

async function readCase(
  reading: Reading,
  document: JsonDocument,
  file: string,
  index: number,
  value: unknown,
): Promise<EndpointCase | undefined> {
  const { names, faults } = reading;
  const own: DefinitionFault[] = [];
  const report: Report = (pointer, message) => {
    own.push(document.faultAt(`/${index}${pointer}`, message));
  };
  const ofSchema = check(value);
  if (ofSchema.length > 0) {
    for (const { pointer, message } of ofSchema) report(pointer, message);
    faults.push(...own.sort(byPlace));
    return undefined;
  }
  const written = value as WrittenCase;
  const { name, now, parameters = '' } = written;
  const fault = (message: string): DefinitionFault => document.faultAt(`/${index}`, message);
  const before = names.get(name);
  const { line } = fault('');
  if (before === undefined) names.set(name, `${file}:${line}`);
  else report('/name', `the name is used already, in ${before}`);
  const rows = await readTables(written.tables ?? {}, reading, report, (found) => own.push(found));
  const expected = readExpected(written, report);
  faults.push(...own);
  if (own.length > 0) return undefined;
  const nowMs = now === undefined ? undefined : Date.parse(now);
  return { file, index, name, nowMs, rows, parameters, expected, fault };
}

function readExpected(
  {
    expected_result: result,
    expected_http_status: status = 200,
    expected_reason: reason,
  }: WrittenCase,
  report: Report,
): ExpectedAnswer | undefined {
  if (status === 200) {
    if (reason !== undefined) {
      report('/expected_reason', 'expected_reason does not go with the status 200');
    }
    return result === undefined ? undefined : { result };
  }
  if (result !== undefined) {
    report('/expected_result', `expected_result does not go with the status ${status}`);
  }
  if (reason === undefined) return undefined;
  if (!isReason(reason)) {
    const known = reasonsOf(status).join(', ');
    const hint = known === '' ? '' : `; those of status ${status} are ${known}`;
    report('/expected_reason', `there is no reason ${reason}${hint}`);
    return undefined;
  }
  const { code } = REASONS[reason];
  if (code !== status) {
    report('/expected_reason', `${reason} has the status ${code}, and not ${status}`);
  }
  return { reason };
}

function reasonsOf(status: number): Reason[] {
  return Object.keys(REASONS).filter(
    (name): name is Reason => isReason(name) && REASONS[name].code === status,
  );
}

async function readTables(
  tables: NonNullable<WrittenCase['tables']>,
  { directory, sources, files }: Reading,
  report: Report,
  addFault: (fault: DefinitionFault) => void,
): Promise<Map<string, readonly EncodedRow[]>> {
  const rows = new Map<string, readonly EncodedRow[]>();
  for (const [name, given] of Object.entries(tables)) {
    const at = `/tables${pointerStep(name)}`;
    const source = sources.find((one) => one.name === name);
    if (source === undefined) {
      const known = sources.map((one) => one.name).join(', ');
      report(at, `there is no table ${name}; sql/sources has ${known}`);
    } else if (typeof given === 'string') {
      const file = join(directory, given);
      const key = JSON.stringify([name, given]);
      const read = files.get(key) ?? readFile(file, source, addFault);
      files.set(key, read);
      const found = await read;
      if (found.isThere) rows.set(name, found.rows);
      else report(at, `there is no file ${given} in tests/`);
    } else rows.set(name, encodeRows(source, given, at, report));
  }
  return rows;
}

async function readFile(
  file: string,
  source: Source,
  addFault: (fault: DefinitionFault) => void,
): Promise<{ rows: EncodedRow[]; isThere: boolean }> {
  const rows: EncodedRow[] = [];
  (await checkSample(file, source, (row) => rows.push(row))).forEach(addFault);
  return { rows, isThere: existsSync(file) };
}

function encodeRows(
  source: Source,
  rows: readonly object[],
  at: string,
  report: Report,
): EncodedRow[] {
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
