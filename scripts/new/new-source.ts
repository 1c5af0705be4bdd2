// Creates the folder of a new table from its rows, or from its schema as bq prints it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../functions/core/errors.ts';
import { isObject } from '../../functions/core/json.ts';
import { someNames } from '../cli/table.ts';
import { withScratch } from '../cli/write-file.ts';
import { FaultsError } from '../faults/definition-fault.ts';
import { readTextFile } from '../faults/json-document.ts';
import { checkSample } from '../check/check-sources.ts';
import { TABLE_SUFFIX, type TableField, nameParts, shardStart } from '../local-bigquery/index.ts';
import { readJsonRows } from '../sources/read-rows.ts';
import { inspectSources } from '../sources/read-sources.ts';
import { createSchemaInference } from './infer-schema.ts';
import { formatJson, requireNew, writeFolder } from './write-folder.ts';

/** More rows would be slow to read at each start, and show nothing more. */
const SAMPLE_ROWS_MAX = 5000;
/** A schema is no longer than this, so that a large file of rows is not read at once. */
const SCHEMA_BYTES_MAX = 4 * 1024 * 1024;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?$/;

/**
 * From a file of rows in NDJSON, plain or gzip, or of a list of columns; with a partition for each day of a column.
 * Throws one sentence, or a line for each fault; then nothing was created.
 */
export async function makeSource(
  given: string,
  from: string,
  partition: string | undefined,
  { sqlDirectory, signal }: { sqlDirectory: string; signal: AbortSignal },
) {
  const { name, shards, suffix } = shardsNamed(given) ?? { name: given };
  if (!NAME.test(name)) {
    const rule = 'use letters, digits and _, such as orders, crm.orders or the shards crm.orders_*';
    throw new Error(`A table cannot be named ${given}: ${rule}.`);
  }
  const folder = join(sqlDirectory, 'sources', name);
  requireNew(folder);
  return await withScratch(async (scratch) => {
    const draft = join(scratch, name);
    mkdirSync(draft);
    const sample = join(draft, 'sample.ndjson');
    const { columns, rows, notes } = readSchema(from) ?? (await readRows(from, signal, suffix));
    writeFileSync(join(draft, 'schema.json'), await formatJson(columns));
    if (partition !== undefined || shards !== undefined) {
      const partitioning = partition && { type: 'DAY', field: partition };
      const $schema = '../../table.schema.json';
      const table = { $schema, shards, partitioning, requirePartitionFilter: true };
      writeFileSync(join(draft, 'table.json'), await formatJson(table));
    }
    if (rows.length > 0) writeFileSync(sample, `${rows.join('\n')}\n`);
    const { sources, faults } = await inspectSources(scratch);
    const [source] = sources;
    if (source !== undefined) faults.push(...(await checkSample(sample, source)));
    if (faults.length > 0 || source === undefined) {
      // The draft is gone: a fault is one of what the author gave.
      const known = columns.map((column) => `${column.name} ${column.type}`).join(', ');
      const lines = faults.map(({ file, message }) =>
        file.endsWith('table.json')
          ? `--partition ${partition}: ${message.replace('partitioning.field: schema.json', from)} (${known})`
          : `${from}: ${message}`,
      );
      throw new Error(`${given} was not created:\n${[...new Set(lines)].join('\n')}`);
    }
    signal.throwIfAborted();
    writeFolder(draft, folder);
    /** `rowCount` is that of sample.ndjson; 0 if there is none. */
    return { folder, source, rowCount: rows.length, notes };
  });
}

/** The source of `crm.orders_*`, or of its shard `crm.orders_20261120`; undefined for another name. */
function shardsNamed(given: string) {
  const [, path = '', end = ''] = /^(.+?)(\d*[*]|\d{8}|\d{10})$/.exec(given) ?? [];
  const format = end.length === 10 ? 'YYYYMMDDHH' : 'YYYYMMDD';
  if (!end.endsWith('*') && shardStart(format, end) === undefined) return undefined;
  const { dataset, table: prefix } = nameParts(path);
  if (dataset !== undefined) {
    return { name: path.replace(/_+$/, ''), shards: { prefix, format }, suffix: end };
  }
  const remedy = `name their dataset too, such as analytics.${given}`;
  throw new Error(`${given} names a table with a shard for each day: ${remedy}.`);
}

interface ReadTable {
  columns: readonly TableField[];
  /** JSON, a line each. */
  rows: string[];
  notes: string[];
}

/** Columns as `bq show --schema` prints them; undefined for any other file. */
function readSchema(file: string): ReadTable | undefined {
  let value: unknown;
  try {
    const text = readTextFile(file);
    if (text.length > SCHEMA_BYTES_MAX) return undefined;
    value = JSON.parse(text);
  } catch {
    // Reading its rows reports what is wrong.
    return undefined;
  }
  const isSchema =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((column) => isObject(column) && 'name' in column && 'type' in column);
  return isSchema ? { columns: value as TableField[], rows: [], notes: [] } : undefined;
}

/** `suffix` is that of the shard of all rows, or has a `*` if each row states its own. */
async function readRows(file: string, signal: AbortSignal, suffix = ''): Promise<ReadTable> {
  const inference = createSchemaInference();
  const rows: string[] = [];
  let count = 0;
  for await (const { json, value, line } of readJsonRows(file)) {
    signal.throwIfAborted();
    try {
      const { [TABLE_SUFFIX.name]: _shard, ...columns } = value;
      inference.add(suffix === '' ? value : columns);
    } catch (error) {
      throw new FaultsError([{ file, line, message: errorMessage(error) }], { cause: error });
    }
    count += 1;
    const own = `{"${TABLE_SUFFIX.name}": "${suffix}", `;
    const inShard = json.replace(/^\s*\{/, own).replace(/, \s*\}$/, '}');
    if (rows.length < SAMPLE_ROWS_MAX) rows.push(/^\d+$/.test(suffix) ? inShard : json);
  }
  if (count === 0) throw new Error(`${file}: has no rows.`);
  const note = `sample.ndjson contains the first ${rows.length} of ${count} rows; the columns were inferred from all rows.`;
  const columns = inference.fields();
  const doubtful = columns.filter(({ type }) => type === 'STRING' || type === 'RECORD');
  const doubt = `Rows do not show NUMERIC, TIME, BYTES and JSON: if BigQuery has one of ${someNames(doubtful.map(({ name }) => name))} in such a type, change it in schema.json.`;
  const notes = [count > rows.length ? note : [], doubtful.length > 0 ? doubt : []].flat();
  return { columns, rows, notes };
}
