// `npm run doctor`: whether each source of sql/sources is in its place, with its columns, its partitions and new rows.
import { DAY_MS } from '../../functions/core/clock.ts';
import { errorCode, errorMessage } from '../../functions/core/describe-error.ts';
import { eachLimit } from '../../functions/core/each-limit.ts';
import { isObject, isText } from '../../functions/core/json.ts';
import { typeOf } from '../check/compare-columns.ts';
import { existingTable } from '../deploy/table-steps.ts';
import { type TableField, queryName } from '../local-bigquery/index.ts';
import type { Source } from '../sources/read-sources.ts';
import { type AskBigQuery, type TablePlace, faultOfTableCall } from './bigquery.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, fault, right, span, warning } from './finding.ts';

const FIELDS = 'type,schema,numRows,lastModifiedTime,streamingBuffer,timePartitioning(type,field)';
const AT_ONCE = 8;
const OLD_MS = 2 * DAY_MS;
/** Exports of a day come late. */
const SHARDS_TRIED = 4;
const CHANGE = 'npm run deploy, or infra/README.md#change-a-table';

type Table = Record<string, unknown>;

/** `logTables`: existing tables that replace those of table.json, `project.dataset.table` by source. */
export async function checkTables(
  of: Deployment,
  ask: AskBigQuery,
  sources: readonly Source[],
  logTables: Readonly<Record<string, string>>,
  nowMs: number,
): Promise<Finding[]> {
  const found = new Map<string, Finding[]>();
  await eachLimit(sources, AT_ONCE, async (source) => {
    const findings = await faultsOfSource(source).catch((error: unknown) => [
      fault(`The source ${source.name}: ${errorMessage(error)}`, 'npm run check'),
    ]);
    const isWell = findings.every(({ mark }) => mark !== '✗');
    const well = right(`Table: ${source.name} has its columns and its partitions`);
    found.set(source.name, [...(isWell ? [well] : []), ...findings]);
  });
  return sources.flatMap(({ name }) => found.get(name) ?? []);

  async function faultsOfSource(source: Source): Promise<Finding[]> {
    const { project, dataset, names } = of;
    const requestsDataset = names.requests_dataset;
    const existing = existingTable(source, { project, dataset, logTables, requestsDataset });
    const place = `correct table in ${of.sql}/sources/${source.name}/table.json, or create it`;
    if (existing?.access === 'granted') return faultsAt(existing, source, place);
    const own = await faultsAt({ project, dataset, table: source.name }, source, 'npm run deploy');
    // The view shows the columns of this table, some under other names.
    const behind = existing && (await faultsAt(existing, { ...source, fields: [] }, place));
    return [...own, ...(behind ?? [])];
  }

  async function faultsAt(place: TablePlace, source: Source, missing: string): Promise<Finding[]> {
    const { shards } = source.definition;
    const daysBack = [...Array(shards ? SHARDS_TRIED : 1).keys()].map((days) => {
      const digits = new Date(nowMs - days * DAY_MS).toISOString().replaceAll(/[-T:]/g, '');
      return shards ? `${shards.prefix}${digits.slice(0, shards.format.length)}` : place.table;
    });
    let found: Finding[] = [];
    // Of shards the newest one.
    for (const table of new Set(daysBack)) {
      try {
        const described = await ask.describe({ ...place, table }, FIELDS);
        return faultsOfTable(described, { ...place, table }, source, nowMs);
      } catch (error) {
        found = [faultOfTableCall(error, of, { ...place, table }, missing)];
        if (errorCode(error) !== 404) break;
      }
    }
    return found;
  }
}

function faultsOfTable(table: Table, place: TablePlace, source: Source, nowMs: number): Finding[] {
  const name = `${place.project}.${place.dataset}.${place.table}`;
  const { fields } = isObject(table.schema) ? table.schema : {};
  const columns = faultsOfColumns(source.fields, (fields ?? []) as TableField[]);
  const faults = columns.map((what) => fault(`${name} ${what}`, CHANGE));
  // A view has neither partitions nor rows of its own.
  if (table.type === 'VIEW') return faults;
  const { partitioning, columns: places = {} } = source.definition;
  const actual = isObject(table.timePartitioning) ? partitionText(table.timePartitioning) : 'none';
  // A view may show the column under another name.
  const { type, field = '' } = partitioning ?? {};
  const expected = type ? partitionText({ type, field: places[field] ?? (field || null) }) : 'none';
  if (actual !== expected) {
    const what = `${name} has the partitions ${actual}, but table.json says ${expected}`;
    const remedy = `correct partitioning in sources/${source.name}/table.json, or infra/README.md#change-a-table`;
    // Without partitions in table.json queries only read more than they need.
    faults.push((partitioning === null ? warning : fault)(what, remedy));
  }
  const { numRows, lastModifiedTime, streamingBuffer } = table;
  const remedy = 'look at what writes to it';
  const ageMs = nowMs - Number(lastModifiedTime);
  if (numRows === '0' && streamingBuffer === undefined) {
    faults.push(warning(`${name} has no rows`, remedy));
  } else if (ageMs > OLD_MS && streamingBuffer === undefined) {
    faults.push(warning(`${name} last changed ${span(ageMs)} ago`, remedy));
  }
  return faults;
}

function partitionText({ type, field }: { type?: unknown; field?: unknown }): string {
  return `${String(type)} of ${isText(field) ? field : 'the time of ingestion'}`;
}

/** Columns that schema.json does not have are fine. */
function faultsOfColumns(
  expected: readonly TableField[],
  actual: readonly TableField[],
  path = '',
): string[] {
  return expected.flatMap((field) => {
    const name = `${path}${field.name}`;
    const found = actual.find((one) => one.name.toLowerCase() === field.name.toLowerCase());
    const type = typeOf(field);
    if (found === undefined) return [`lacks the column ${name} ${type}`];
    const other = typeOf(found);
    if (other !== type) return [`has ${name} as ${other}, but schema.json says ${type}`];
    return faultsOfColumns(field.fields ?? [], found.fields ?? [], `${name}.`);
  });
}

/** A query that reads nothing of the source but must be allowed to. */
export function probeOf(source: Source): string {
  const { shards, partitioning } = source.definition;
  const column = shards
    ? '_TABLE_SUFFIX'
    : partitioning && (partitioning.field ?? '_PARTITIONTIME');
  // Such a table may refuse a query without a filter.
  const first = shards ? "'9'" : "'2200-01-01'";
  return `SELECT 1 FROM \`${queryName(source)}\` WHERE ${column ? `${column} >= ${first}` : 'TRUE'}`;
}
