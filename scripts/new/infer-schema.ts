// Infers the columns of a table from its rows, as BigQuery detects the schema of a load job.
// https://cloud.google.com/bigquery/docs/schema-detect
import { isDate, isTimeOfDay } from '../../functions/endpoints/canonical-scalar.ts';
import { isObject } from '../../functions/core/json.ts';
import { LongNumber, type TableField } from '../local-bigquery/index.ts';

type Scalar = 'BOOLEAN' | 'INTEGER' | 'FLOAT' | 'DATE' | 'DATETIME' | 'TIMESTAMP' | 'STRING';

interface Seen {
  scalars: Set<Scalar>;
  isRepeated: boolean;
  /** The fields of its RECORDs, if any value is one. */
  record?: Map<string, Seen>;
}

export function createSchemaInference() {
  const columns = new Map<string, Seen>();
  return {
    /** Numbers are LongNumbers. Throws an Error that names the field for a row whose fields cannot be of one type. */
    add: (row: Readonly<Record<string, unknown>>) => addRecord(columns, row, ''),
    fields: () => fieldsOf(columns),
  };
}

function addRecord(
  fields: Map<string, Seen>,
  record: Readonly<Record<string, unknown>>,
  path: string,
): void {
  for (const [name, value] of Object.entries(record)) {
    const none: Seen = { scalars: new Set(), isRepeated: false };
    const seen = fields.get(name) ?? none;
    fields.set(name, seen);
    if (name.includes('.')) {
      const asJson = `pass the columns instead of rows to --from, with ${path.slice(0, -1)} as JSON`;
      const remedy = path === '' ? 'rename it' : asJson;
      throw new Error(`${path}${name}: a column name cannot contain a dot; ${remedy}`);
    }
    addValue(seen, value, path + name);
  }
}

function addValue(seen: Seen, value: unknown, path: string): void {
  if (!Array.isArray(value)) return addElement(seen, value, path);
  seen.isRepeated = true;
  for (const element of value as unknown[]) {
    if (Array.isArray(element)) {
      throw new Error(`${path}: a list in a list, which BigQuery does not store`);
    }
    if (element === null) throw new Error(`${path}: NULL in a list, which BigQuery does not store`);
    addElement(seen, element, path);
  }
}

function addElement(seen: Seen, value: unknown, path: string): void {
  if (value === null || value === undefined) return;
  if (value instanceof LongNumber) seen.scalars.add(numberType(value.text));
  else if (isObject(value)) {
    seen.record ??= new Map();
    addRecord(seen.record, value, `${path}.`);
  } else if (typeof value === 'string') seen.scalars.add(textType(value));
  else if (typeof value === 'boolean') seen.scalars.add('BOOLEAN');
  else seen.scalars.add('STRING');
  if (seen.record !== undefined && seen.scalars.size > 0) {
    throw new Error(`${path}: an object here, and in another row ${[...seen.scalars].join(', ')}`);
  }
}

function numberType(text: string): Scalar {
  if (/[.eE]/.test(text)) return 'FLOAT';
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? 'INTEGER' : 'FLOAT';
}

const TIME =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.\d{1,6})?)?( ?(?:[Zz]|UTC|[+-]\d\d(?::?\d\d)?))?$/;

function textType(text: string): Scalar {
  if (isDate(text)) return 'DATE';
  const [, date = '', minutes, seconds = '00', zone] = TIME.exec(text) ?? [];
  if (!isDate(date) || !isTimeOfDay(`${minutes}:${seconds}`)) return 'STRING';
  return zone === undefined ? 'DATETIME' : 'TIMESTAMP';
}

function fieldsOf(fields: ReadonlyMap<string, Seen>): TableField[] {
  return [...fields].map(([name, { scalars, isRepeated, record }]): TableField => {
    const mode = isRepeated ? 'REPEATED' : 'NULLABLE';
    if (record === undefined) return { name, type: typeOf(scalars), mode };
    const inner = fieldsOf(record);
    // A RECORD needs fields.
    return inner.length === 0
      ? { name, type: 'JSON', mode }
      : { name, type: 'RECORD', mode, fields: inner };
  });
}

/** The type that takes the values of all; a field without a value is a STRING. */
function typeOf(scalars: ReadonlySet<Scalar>): Scalar {
  const [only = 'STRING', ...others] = scalars;
  if (others.length === 0) return only;
  const isAmong = (types: readonly Scalar[]): boolean =>
    [...scalars].every((type) => types.includes(type));
  if (isAmong(['INTEGER', 'FLOAT'])) return 'FLOAT';
  return isAmong(['DATE', 'TIMESTAMP']) ? 'TIMESTAMP' : 'STRING';
}
