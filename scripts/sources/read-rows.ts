// Reads the rows of one file: newline-delimited JSON, plain or gzip, checked against a schema.
import { isUtf8 } from 'node:buffer';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isObject, membersOf } from '../../functions/core/json.ts';
import { type DefinitionFault, FaultsError } from '../faults/definition-fault.ts';
import { NOT_UTF8 } from '../faults/json-document.ts';
import {
  InvalidValueError,
  LongNumber,
  TABLE_SUFFIX,
  createTableRowEncoder,
} from '../local-bigquery/index.ts';
import type { EncodedRow, RowTable } from '../local-bigquery/index.ts';

export interface ReadRowsOptions {
  /**
   * Is called for each field of a row that the schema does not name, such as `metadata.request.method`, and for
   * each of a type that the engine does not support, such as `place (GEOGRAPHY)`; the field is ignored. Without
   * it such a field is an error.
   */
  onUnknownField?: (path: string) => void;
  /** The shard of rows that do not state one. */
  shard?: string | undefined;
  /** Is called for each line that is not a row of the table; the line is skipped. Without it the error is thrown. */
  onFaultyLine?: (fault: DefinitionFault) => void;
}

/** The rows in the order of the file, without empty lines. The content decides whether it is gzip. Throws a FaultsError with one fault. */
export async function* readRows(
  path: string,
  table: RowTable,
  { onUnknownField, onFaultyLine, shard }: ReadRowsOptions = {},
): AsyncGenerator<EncodedRow> {
  const encode = createTableRowEncoder(table, onUnknownField);
  const rowOf = (json: string): EncodedRow => {
    const row = parseRow(json);
    const hasShard = shard !== undefined && isObject(row);
    return encode(hasShard ? { [TABLE_SUFFIX.name]: shard, ...row } : row);
  };
  const lines = parsedLines(path, basename(path), rowOf, onFaultyLine);
  for await (const { value } of lines) yield value;
}

/** The rows of a file of unknown columns, without empty lines; numbers are LongNumbers. Throws a FaultsError with one fault. */
export function readJsonRows(path: string): AsyncGenerator<ParsedLine<Record<string, unknown>>> {
  return parsedLines(path, path, (json) => {
    const value = parse(json, (_, part, { source }) =>
      typeof part === 'number' ? new LongNumber(source) : part,
    );
    if (isObject(value) && !(value instanceof LongNumber)) return value;
    throw new InvalidValueError('expected an object');
  });
}

interface ParsedLine<Value> {
  /** The line, without blanks around it; a byte order mark is one. */
  json: string;
  value: Value;
  /** Counted from 1. */
  line: number;
}

async function* parsedLines<Value>(
  path: string,
  name: string,
  parseLine: (json: string) => Value,
  onFaultyLine?: ReadRowsOptions['onFaultyLine'],
): AsyncGenerator<ParsedLine<Value>> {
  let line = 0;
  try {
    for await (const bytes of splitLines(content(path))) {
      line++;
      const json = bytes.toString().trim();
      if (json === '') continue;
      let value: Value;
      try {
        if (!isUtf8(bytes)) throw new InvalidValueError(`the line ${NOT_UTF8}`);
        if (json.startsWith('[')) throw new InvalidValueError(LIST);
        value = parseLine(json);
      } catch (err) {
        const fault = describe(name, err, line);
        if (fault.line === undefined || onFaultyLine === undefined) throw faultsError(fault, err);
        onFaultyLine(fault);
        continue;
      }
      yield { json, value, line };
    }
  } catch (err) {
    throw err instanceof FaultsError ? err : faultsError(describe(name, err, line), err);
  }
}

/** A number in a line that may have more digits than a JSON number of JavaScript keeps. */
const LONG_NUMBER = /[:[,]\s*-?(?:[\d.]{17}|9\d{15})/;

/** Source text access is in Node 21 and later, and not yet in TypeScript's types. */
type Reviver = (key: string, value: unknown, context: { source: string }) => unknown;
const { parse } = JSON as unknown as { parse: (text: string, reviver?: Reviver) => unknown };

/** The row of a line; a number that would lose digits is kept as it is written. */
function parseRow(json: string): unknown {
  if (!LONG_NUMBER.test(json)) return parse(json);
  return parse(json, (_, value, { source }) =>
    typeof value === 'number' && source.length >= 16 ? new LongNumber(source) : value,
  );
}

const LIST = "expected an object on each line, found a list; jq -c '.[]' FILE converts it";

const GZIP_START = Buffer.from([0x1f, 0x8b]);
const MIB = 1024 * 1024;
const CHUNK_BYTES = MIB;
/** As long as BigQuery's load jobs take. */
const LINE_MIB_MAX = 100;

async function* content(path: string): AsyncGenerator<Buffer> {
  const found = await stat(path);
  // Opening a pipe would wait for a writer.
  if (!found.isFile() && !found.isDirectory()) throw new Error('is not a file');
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(GZIP_START.length), 0, GZIP_START.length, 0);
    const bytes = file.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, autoClose: false });
    // The fault of either stream reaches the reader of the last one.
    yield* buffer.equals(GZIP_START)
      ? pipeline(bytes, createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined)
      : bytes;
  } finally {
    await file.close();
  }
}

const LINE_FEED = 0x0a;

/** A line is longer than allowed; thrown before the rest of it is read. */
class LongLineError extends Error {}

/** The lines without their line feeds; the last one needs none. Throws `LongLineError`. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  /** The parts of a line whose end has not been read yet, and their length. */
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
    if (bytes > LINE_MIB_MAX * MIB) throw new LongLineError();
  };
  const take = () => {
    const line = Buffer.concat(parts);
    parts = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}

/** `line` is the last one that was read to its end. */
function describe(file: string, err: unknown, line: number): DefinitionFault {
  const { code, message } = membersOf(err);
  const fault = (text: string, at?: number): DefinitionFault => {
    return { file, message: text, ...(at !== undefined && { line: at }) };
  };
  if (err instanceof InvalidValueError) return fault(err.message, line);
  if (err instanceof SyntaxError) {
    // The line that the parser counts is always the first.
    const reason = err.message.replace(/ \(line 1 column \d+\)$/, '');
    return fault(`not valid JSON: ${reason}`, line);
  }
  if (err instanceof LongLineError) {
    return fault(`the line is longer than ${LINE_MIB_MAX} MiB`, line + 1);
  }
  if (code === 'ENOENT') return fault('no such file');
  if (code === 'EISDIR') return fault('is a directory, not a file');
  if (code === 'Z_BUF_ERROR') return fault('the gzip data is truncated', line + 1);
  if (typeof code === 'string' && code.startsWith('Z_')) {
    return fault(`broken gzip data: ${String(message)}`, line + 1);
  }
  return fault(String(message));
}

const faultsError = (fault: DefinitionFault, cause: unknown) => new FaultsError([fault], { cause });
