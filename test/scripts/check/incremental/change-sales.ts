// What `check` says of the endpoint SALES with a change: changes.txt names the kinds of changes.
import { readFileSync } from 'node:fs';
import { checkCatalogue } from '../../../../scripts/check/check-endpoint.ts';
import { SALES, withPart } from '../../../warming/kept-rows.ts';
import { sharedEngine } from '../../../support/bigquery/shared-engine.ts';
import { FakeSqlTree, parameter } from '../../../support/sql/fake-sql-tree.ts';

const FOLDER = 'test/scripts/check/incremental';

const names = new Map(
  Array.from(
    readFileSync(`${FOLDER}/changes.txt`, 'utf8').matchAll(/^([A-Z_]+) = (.*)$/gm),
    ([, name, is]) => [name, is],
  ),
);
const filled = (part: string): string =>
  part.replaceAll(/\{([A-Z_]+)\}/g, (all, name: string) => names.get(name) ?? all);

/** The changes of a file, each below the end of what is said of it. */
export function changesIn(file: string): (readonly [message: string, change: string])[] {
  const parts = filled(readFileSync(`${FOLDER}/${file}`, 'utf8'))
    .split(/^# /m)
    .slice(1);
  return parts.flatMap((part) => {
    const [message = '', ...changes] = part.trim().split('\n');
    return changes.map((change) => [message, change] as const);
  });
}

const [, WHERE = ''] = /WHERE([^]*)GROUP/.exec(SALES.query) ?? [];
const START = filled('{START}');
const TRUNCATED = 'DATE(sold.at) => DATETIME(TIMESTAMP_TRUNC(sold.at, DAY))';
const { bucket, row, parameters } = SALES.definition;
type Given = typeof GIVEN;
const GIVEN = {
  ...{ query: SALES.query, warm: SALES.warm, bucket: bucket as object, row: row as object },
  ...{ parameters: parameters as object, partitioning: { type: 'HOUR', field: 'at' } as object },
};

function changed(sql: string, change: string): string {
  const [from = '', to = ''] = change.split(/ => ?/);
  return withPart(sql, from, to);
}

const CHANGES: Record<string, (given: Given, change: string) => Partial<Given>> = {
  query: ({ query }, change) => ({ query: changed(query, change) }),
  warm: ({ warm }, change) => ({ warm: changed(warm, change) }),
  where: ({ query }, condition) => ({
    query: changed(query, `AND sold.shop => AND ${condition} AND sold.shop`),
  }),
  start: ({ query }, start) => ({ query: changed(query, `${START} => ${start}`) }),
  of: (_, sql) => ({
    query: `WITH sold AS (SELECT * FROM sales AS sold WHERE ${WHERE}) ${sql}`,
  }),
  days: (given, change) => {
    const [sql, condition = 'TRUE'] = change.split(' => ');
    const sales = 'DATE(sold.at) AS day, SUM(sold.amount) AS total, MAX(sold.text) AS text';
    const joined = `SELECT ${sales} FROM cal JOIN sold ON DATE(sold.at) = cal.d WHERE ${condition}`;
    return CHANGES['of']?.(given, `, cal AS (${sql}) ${joined} GROUP BY day ORDER BY day`) ?? {};
  },
  join: ({ query }, change) => {
    const [joined, condition] = change.split(' => ');
    const start = `IF(${condition}, ${START}, CURRENT_TIMESTAMP())`;
    return { query: withPart(changed(query, `AS sold => AS sold ${joined}`), START, start) };
  },
  cut: ({ query, warm }, condition) => ({
    query: withPart(query, START, START.slice('TIMESTAMP_TRUNC('.length, -', DAY)'.length)),
    warm: warm
      .replace('FROM sales', `FROM (SELECT * FROM sales AS sold WHERE ${condition})`)
      .replace(/WHERE\n[^]*(?=GROUP)/, ''),
    bucket: { ...bucket, whole: false },
  }),
  step: ({ query, warm }, step) => ({
    ...{ query: changed(query, TRUNCATED), warm: changed(warm, TRUNCATED) },
    ...{ bucket: { ...bucket, step }, row: { ...row, day: { ...row.day, type: 'DATETIME' } } },
  }),
  two: ({ query, warm }, sql) => {
    const chosen = sql
      .replace('HOURS', 'DATETIME_TRUNC(DATETIME(sold.at), HOUR)')
      .replace('DAYS', 'DATETIME(TIMESTAMP_TRUNC(sold.at, DAY))');
    const bySum = (one: string): string =>
      changed(
        changed(one, `DATE(sold.at) => ${chosen}`),
        'SUM(sold.amount) => SUM(sold.amount + LENGTH(@step))',
      );
    const listed = { enum: ['d', 'h'], example: 'd', required: true };
    return {
      ...{ query: bySum(query), warm: bySum(warm) },
      bucket: { ...bucket, step: { parameter: 'step', values: { d: 'P1D', h: 'PT1H' } } },
      row: { ...row, day: { ...row.day, type: 'DATETIME' } },
      parameters: { ...parameters, cut: parameter(listed), step: parameter(listed) },
    };
  },
  long: ({ query, warm }, change) => {
    const [condition = '', definition = ''] = change.split(' with ');
    const chosen = (one: string, start: string): string =>
      changed(one, `>= ${start} => >= IF(${condition}, TIMESTAMP '2020-01-01', ${start})`);
    return {
      query: chosen(query, START),
      warm: chosen(warm, START.replace('CURRENT_TIMESTAMP()', '@now')),
      parameters: { ...parameters, long: parameter(JSON.parse(definition) as object) },
    };
  },
  // Without a field that is null.
  bucket: (_, fields) => ({
    bucket: JSON.parse(
      JSON.stringify({ ...bucket, ...JSON.parse(fields) }),
      (__, one: unknown) => one ?? undefined,
    ) as object,
  }),
  partitioning: (_, json) => ({ partitioning: JSON.parse(json) as object }),
  parameters: (_, json) => {
    const more = Object.entries(JSON.parse(json) as Record<string, object>);
    const added = more.map(([name, one]) => [name, parameter(one)] as const);
    return { parameters: { ...parameters, ...Object.fromEntries(added) } };
  },
};

/** Expects that `check` finds a fault with this message, or says `passes`, after the changes. */
export async function expectChecked(message: string, changes: string): Promise<void> {
  let given = GIVEN;
  for (const one of changes.split(' && ')) {
    const [verb = ''] = one.split(' ', 1);
    const change = CHANGES[verb];
    if (change === undefined) throw new Error(`No change is called "${verb}".`);
    given = { ...given, ...change(given, one.slice(verb.length + 1)) };
  }
  const { query, warm, partitioning, ...definition } = given;
  const columns = 'at TIMESTAMP, seen TIMESTAMP, shop STRING, kind STRING, amount INT64';
  const { directory } = new FakeSqlTree()
    .source('sales', `${columns}, text STRING`, { partitioning })
    .source('prices', 'name STRING, price INT64')
    .source('orders', 'ts TIMESTAMP', { partitioning: { type: 'DAY', field: 'ts' } })
    .endpoint({ ...SALES.definition, ...definition }, query, warm);
  const found = await checkCatalogue(await sharedEngine(), directory).then(() => 'passes', String);
  const said = found.replaceAll(`${directory}/endpoints/sales.by-day/`, '');
  if (message === 'passes') expect(said).toBe(message);
  else expect(`${said}\n`).toContain(`${message}\n`);
}
