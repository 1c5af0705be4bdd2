// Encodes rows of BigQuery's REST API as JSON text, by the types of the schema.
// `checkPage` has checked the rows: each scalar is a text, in the form that BigQuery writes its type.
import type { ColumnSchema, WireRow } from '../core/query-runner.ts';

/** A body is `{"result":[{…},…]}`: the text before the first row and after the last. */
export const RESULT_START = '{"result":[';
export const RESULT_END = ']}';

/** Writes rows, or values of type RECORD, with these fields as JSON objects. */
export function recordEncoder(fields: readonly ColumnSchema[]): (record: WireRow) => string {
  const members = fields.map((field, index) => ({
    // Computed once: the name and its separators are the same for every row.
    start: `${index === 0 ? '' : ','}${JSON.stringify(field.name)}:`,
    encode: fieldEncoder(field),
  }));
  return ({ f }) => {
    let text = '{';
    for (const [index, { start, encode }] of members.entries()) {
      text += start + encode(f[index]?.v);
    }
    return `${text}}`;
  };
}

function fieldEncoder(field: ColumnSchema): (value: unknown) => string {
  const encodeRecord = field.type === 'RECORD' ? recordEncoder(field.fields ?? []) : undefined;
  const encode = (value: unknown): string => {
    if (value === null || value === undefined) return 'null';
    if (encodeRecord !== undefined) return encodeRecord(value as WireRow);
    return encodeScalar(field.type, value as string);
  };
  if (field.mode !== 'REPEATED') return encode;
  return (value) => `[${((value ?? []) as { v: unknown }[]).map(({ v }) => encode(v)).join(',')}]`;
}

/** BigQuery sends every scalar as a string; its type decides how it is written as JSON. */
function encodeScalar(type: string, text: string): string {
  switch (type) {
    case 'INT64': {
      // Readers would silently round a JSON number beyond 2^53.
      const number = Number(text);
      return Number.isSafeInteger(number) && String(number) === text ? text : JSON.stringify(text);
    }
    case 'FLOAT64': {
      const number = Number(text);
      return Number.isFinite(number) ? JSON.stringify(number) : JSON.stringify(nonFinite(text));
    }
    case 'BOOL':
      return text === 'true' ? 'true' : 'false';
    case 'TIMESTAMP':
      return JSON.stringify(formatTimestamp(BigInt(text)));
    case 'JSON':
      return text;
    default:
      return JSON.stringify(text);
  }
}

function nonFinite(text: string): string {
  if (/nan/i.test(text)) return 'NaN';
  return text.startsWith('-') ? '-Infinity' : 'Infinity';
}

/** RFC 3339 in UTC; a fraction of three or six digits, or none. */
function formatTimestamp(microseconds: bigint): string {
  const remainder = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = Number((microseconds - remainder) / 1_000_000n);
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (remainder === 0n) return `${whole}Z`;
  const digits = remainder.toString().padStart(6, '0');
  return `${whole}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`;
}
