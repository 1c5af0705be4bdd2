// `npm run doctor`: whether each source of sql/sources is in its place, with its columns.
import { systemClock } from '../../functions/clock.ts';
import { SETTINGS, parseConfig } from '../../functions/config.ts';
import { DAY_MS } from '../../functions/core/clock.ts';
import { errorCode } from '../../functions/core/errors.ts';
import { eachLimit } from '../../functions/core/each-limit.ts';
import { membersOf } from '../../functions/core/json.ts';
import { createBigQuery, createBigQueryRest, smallCall } from '../../functions/bigquery/rest.ts';
import { typeOf } from '../check/compare-columns.ts';
import { explainGoogleError } from '../cli/google-errors.ts';
import { existingTable } from '../deploy/tables.ts';
import { type TableField, shardSuffix } from '../local-bigquery/index.ts';
import { type Source, readSources } from '../sources/read-sources.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, fault, findingsOf, inTime, orRight } from './finding.ts';

const AT_ONCE = 8;
/** A table with ten thousand columns. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** Exports of a day come late. */
const SHARDS_TRIED = 4;

type Place = Record<'project' | 'dataset', string> & { table?: string | undefined };

export async function checkTables(
  of: Deployment,
  sourcesDirectory: string,
  env: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): Promise<Finding[]> {
  const { project, dataset, deployment, timeoutMs } = of;
  const settings = { [SETTINGS.project.name]: project, [SETTINGS.dataset.name]: dataset };
  const config = parseConfig({ ...env, ...settings });
  const call = createBigQueryRest(createBigQuery(config));
  const ofDataset = await describe({ project, dataset }, 'location');
  const { location } = ofDataset;
  if (String(location).toUpperCase() !== of.datasetLocation.toUpperCase()) {
    const what = `The dataset ${project}.${dataset} is in ${String(location)}, but queries run in ${of.datasetLocation}`;
    return [fault(what, `set bigquery_location, or --dataset-location ${String(location)}`)];
  }
  const sources = await readSources(sourcesDirectory);
  const found = new Map<string, Finding[]>();
  await eachLimit(sources, AT_ONCE, async (source) => {
    const well = `Table: ${source.name} has its columns`;
    found.set(source.name, await findingsOf(faultsOf(source).then((all) => orRight(well, all))));
  });
  return sources.flatMap(({ name }) => found.get(name) ?? []);

  async function faultsOf(source: Source): Promise<Finding[]> {
    const logTables = Object.fromEntries(config.sourceTables);
    const existing = existingTable(source, { project, dataset, logTables, deployment });
    if (existing?.access === 'granted') return columnFaults(existing, source);
    const own = await columnFaults({ project, dataset, table: source.name }, source);
    // The view has the columns of this table, some under other names.
    if (existing !== undefined) await describe(existing, 'type');
    return own;
  }

  async function columnFaults(place: Place, source: Source): Promise<Finding[]> {
    const table = source.definition.shards ? await newestShard(place, source) : place;
    const { schema } = await describe(table, 'schema');
    const { fields } = membersOf(schema);
    const name = `${table.project}.${table.dataset}.${table.table}`;
    return lackingColumns(source.fields, (fields ?? []) as TableField[]).map((what) =>
      fault(`${name} ${what}`, 'npm run deploy, or infra/README.md#change-a-table'),
    );
  }

  async function newestShard(place: Place, { definition: { shards } }: Source): Promise<Place> {
    const { prefix = '', format = 'YYYYMMDD' } = shards ?? {};
    for (let days = 0; ; days += 1) {
      const suffix = shardSuffix(format, BigInt(nowMs - days * DAY_MS) * 1000n);
      const shard = { ...place, table: prefix + suffix };
      const isThere = await describe(shard, 'type').then(
        () => true,
        (error: unknown) => {
          const cause = error instanceof Error ? error.cause : undefined;
          if (errorCode(cause) !== 404 || days + 1 === SHARDS_TRIED) throw error;
          return false;
        },
      );
      if (isThere) return shard;
    }
  }

  /** The metadata of a table or dataset. */
  async function describe({ project, dataset, table }: Place, fields: string) {
    const path = `/datasets/${dataset}${table ? `/tables/${encodeURIComponent(table)}` : ''}`;
    // The time is over before, with a message of its own.
    const withinMs = 2 * timeoutMs;
    const limits = { clock: systemClock, withinMs, bytesMax: ANSWER_BYTES_MAX, project };
    const asked = smallCall(call, ['GET', path, { fields }, undefined], limits);
    const answer = await inTime('BigQuery', timeoutMs, asked).catch((error: unknown) => {
      const name = [`${project}.${dataset}`, table ?? []].flat().join('.');
      throw explainGoogleError(error, {
        notFound: `The ${table ? 'table' : 'dataset'} ${name} does not exist — npm run deploy, or correct its table.json`,
        denied: `Permission denied for ${name}: ask for the role BigQuery Data Viewer.`,
      });
    });
    return membersOf(answer);
  }
}

/** Columns that schema.json does not have are fine. */
function lackingColumns(
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
    return lackingColumns(field.fields ?? [], found.fields ?? [], `${name}.`);
  });
}
