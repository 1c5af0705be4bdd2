// Reads the records of a file of keys: newline-delimited JSON, or CSV (RFC 4180) with a header.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { isObject } from '../../functions/core/json.ts';
import { reasonOf } from '../cli/write-file.ts';
import { type DefinitionFault, FaultsError, byPlace } from '../faults/definition-fault.ts';
import { NOT_UTF8, parseJsonDocument } from '../faults/json-document.ts';
import { unknownField } from './key-fields.ts';

interface FileRecord {
  /** Where it begins, counted from 1. */
  line: number;
  value: Record<string, unknown>;
}

/** Firestore's limit for a document is a little higher. */
const LINE_BYTES_MAX = 1_000_000;
const FILE_MIB_MAX = 64;
/** Of a message: a faulty value may be as long as a line. */
const MESSAGE_LENGTH_MAX = 500;

/**
 * What `parse` makes of each record of a file, `-` for standard input, in its order. `parse` throws an Error with a line for
 * each fault. With `columns`, the known ones, the file may be CSV. Throws `FaultsError` with all faults and their lines.
 */
export async function parseRecords<T>(
  file: string,
  parse: (record: Record<string, unknown>, line: number) => T,
  columns?: readonly string[],
): Promise<T[]> {
  const name = file === '-' ? 'standard input' : file;
  const bytes = await readBytes(file, name);
  const faults: DefinitionFault[] = [];
  const report = (line: number, message: string): void =>
    void faults.push({ file: name, line, message: message.slice(0, MESSAGE_LENGTH_MAX) });
  for (const [index, line] of bytes.toString('latin1').split('\n').entries()) {
    if (line.length > LINE_BYTES_MAX) report(index + 1, `is longer than ${LINE_BYTES_MAX} bytes`);
    if (!isUtf8(Buffer.from(line, 'latin1'))) report(index + 1, NOT_UTF8);
  }
  if (faults.length > 0) throw new FaultsError(faults);
  const text = bytes.toString().replace(/^\uFEFF/, '');
  const records =
    columns !== undefined && isCsvFile(file, text)
      ? readCsv(text, columns, report)
      : readJsonLines(name, text, report);
  const parsed = records.flatMap(({ line, value }) => {
    try {
      return [parse(value, line)];
    } catch (error) {
      for (const fault of (error as Error).message.split('\n')) report(line, fault);
      return [];
    }
  });
  if (faults.length > 0) throw new FaultsError(faults.sort(byPlace));
  if (records.length === 0) throw new Error(`${name} has no keys.`);
  return parsed;
}

/** By the extension, else by the first line. */
export function isCsvFile(file: string, text: string): boolean {
  const [, extension] = /\.(csv|ndjson|jsonl|json)$/i.exec(file) ?? [];
  return extension === undefined ? !/^\s*[{[]/.test(text) : extension.toLowerCase() === 'csv';
}

/** Also of a pipe. */
async function readBytes(file: string, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    const stream = file === '-' ? process.stdin : createReadStream(file);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > FILE_MIB_MAX * 2 ** 20) throw new Error(`it is larger than ${FILE_MIB_MAX} MiB`);
    }
  } catch (error) {
    throw new Error(`${name} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
  return Buffer.concat(chunks);
}

type Report = (line: number, message: string) => void;

function readJsonLines(name: string, text: string, report: Report): FileRecord[] {
  return text.split('\n').flatMap((json, index): FileRecord[] => {
    const line = index + 1;
    if (json.trim() === '') return [];
    const { value, faults } = parseLine(name, json);
    for (const { message } of faults) report(line, message);
    if (faults.length > 0) return [];
    if (isObject(value) && hasOnlyText(value)) return [{ line, value }];
    report(line, isObject(value) ? 'has half of a surrogate pair' : 'is not an object of JSON');
    return [];
  });
}

function parseLine(name: string, json: string) {
  try {
    return parseJsonDocument(name, json);
  } catch {
    // A parser that calls itself for each level.
    return { value: undefined, faults: [{ message: 'is nested too deeply' }] };
  }
}

/** Half of a surrogate pair cannot be stored; `stringify` escapes it. */
function hasOnlyText(value: object): boolean {
  return !/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(value));
}

/** A cell, and what ends it; the last cell of a file may lack a line end. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** An empty cell is an absent field; in a column such as `parameters.project` it is an empty one, because absence gives access. */
function readCsv(text: string, known: readonly string[], report: Report): FileRecord[] {
  const [header, ...rows] = readRows(text, report);
  const columns = header?.cells ?? [];
  const faults = columns.flatMap((column, index) => {
    if (columns.indexOf(column) < index) return [`has the column "${column}" twice`];
    const isKnown = column.startsWith('parameters.') || known.includes(column);
    return isKnown ? [] : [unknownField(column, [...known, 'parameters.NAME'])];
  });
  for (const fault of faults) report(header?.line ?? 1, fault);
  if (faults.length > 0) return [];
  return rows.flatMap(({ line, cells }) => {
    if (cells.length !== columns.length) {
      report(line, `has ${cells.length} cells, and the header has ${columns.length}`);
      return [];
    }
    const stated = columns.map((column, index) => [column, cells[index] ?? ''] as const);
    const [own, inner] = [false, true].map((isInner) =>
      stated.filter(([column]) => column.startsWith('parameters.') === isInner),
    ) as [typeof stated, typeof stated];
    const parameters = inner.map(([column, cell]) => [column.replace('parameters.', ''), cell]);
    const value = Object.fromEntries<unknown>(own.filter(([, cell]) => cell !== ''));
    if (inner.length > 0) value.parameters = Object.fromEntries(parameters);
    return [{ line, value }];
  });
}

/** Rows without those that are empty. After a fault it goes on at the next line. */
function readRows(text: string, report: Report): { line: number; cells: string[] }[] {
  const rows: { line: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let [line, start] = [1, 1];
  for (let at = 0; at < text.length;) {
    CELL.lastIndex = at;
    const [whole, quoted, plain = '', end] = CELL.exec(text) ?? [];
    if (whole === undefined) {
      report(line, 'has a quotation mark that is not closed, or not around a whole cell');
      const next = text.indexOf('\n', at);
      at = next === -1 ? text.length : next + 1;
      cells = [];
      start = line += 1;
      continue;
    }
    at += whole.length;
    line += whole.split('\n').length - 1;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    // A comma at the very end is followed by one more cell, which is empty.
    if (end === ',' && at < text.length) continue;
    if (end === ',') cells.push('');
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line: start, cells });
    cells = [];
    start = line;
  }
  return rows;
}
