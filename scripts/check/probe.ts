// Builds the probe of an endpoint, which tells failures caused by parameter values from those caused by rows.
import { OTHER_ROW, type Probe } from '../../functions/core/query-runner.ts';
import { type Endpoint, typesOf } from '../../functions/endpoints/endpoint.ts';
import { type CanonicalParameters, valuesIn } from '../../functions/endpoints/parameters.ts';
import { queryParameters } from '../../functions/google/query-configuration.ts';
import { calledFunctions, parametersOf } from '../lexer/sql-text.ts';
import { engineParameters, GoogleSqlError, ITEMS } from '../local-bigquery/index.ts';
import type { Analysis, GoogleSql } from '../local-bigquery/index.ts';
import { runOnEmptyTables } from './analysed-query.ts';

const LONGER = ['10', '100', '1000'];

/** Built from the expressions that succeed with the examples for both made-up rows; undefined without any. */
export async function probeOf(
  engine: GoogleSql,
  endpoint: Endpoint,
  { expressions, functions, statement }: Analysis,
): Promise<Probe | undefined> {
  const examples = valuesIn(endpoint, 'example');
  const called = calledFunctions(expressions.join('\n')).map(({ name }) => name);
  const hasOwn = functions.some(({ name }) => called.includes(name));
  const definitions = hasOwn ? endpoint.sql.slice(0, statement.search(/\S/)) : '';
  const ofAll = (some: readonly string[]): Probe => {
    const texts = [`@${OTHER_ROW}`, ...some].map((one) => `TO_JSON_STRING(${one}\n)`);
    const sql = `${definitions}SELECT LENGTH(CONCAT(${texts.join(', ')})) AS length`;
    const names = parametersOf(sql).map(({ name }) => name);
    return { sql, parameters: names.filter((name) => name !== OTHER_ROW) };
  };
  const goesWell = async (probe: Probe): Promise<boolean> => {
    for (const isOther of [false, true]) {
      if (await runProbe(engine, endpoint, probe, examples, isOther)) return false;
    }
    return true;
  };
  if (expressions.length === 0) return undefined;
  const whole = ofAll(expressions);
  if (await goesWell(whole)) return whole;
  const sound: string[] = [];
  for (const one of expressions) {
    for (const items of [ITEMS, ...(one.includes(ITEMS) ? LONGER : [])]) {
      const text = one.replaceAll(ITEMS, items);
      if (!(await goesWell(ofAll([text])))) continue;
      sound.push(text);
      break;
    }
  }
  return sound.length === 0 ? undefined : ofAll(sound);
}

/** Why the values make the query fail regardless of the rows; undefined if they do not. */
export async function failureOf(
  engine: GoogleSql,
  endpoint: Endpoint,
  values: CanonicalParameters,
): Promise<string | undefined> {
  const { probe } = endpoint;
  const error = probe && (await runProbe(engine, endpoint, probe, values, false));
  const other = error && (await runProbe(engine, endpoint, probe, values, true));
  return other?.kind === 'runtime' ? error?.message.replace(/ at \[\d+:\d+\]$/, '') : undefined;
}

async function runProbe(
  engine: GoogleSql,
  endpoint: Endpoint,
  { sql, parameters: names }: Probe,
  values: CanonicalParameters,
  isOther: boolean,
): Promise<GoogleSqlError | undefined> {
  const own = names.map((name) => [name, values[name] ?? null] as const);
  const parameters = { ...Object.fromEntries(own), [OTHER_ROW]: String(isOther) };
  const types = { ...typesOf(endpoint), [OTHER_ROW]: 'BOOL' as const };
  return errorOf(engine, sql, engineParameters(queryParameters({ parameters, types })));
}

/** The error of a query that reads no table. */
export async function errorOf(
  engine: GoogleSql,
  sql: string,
  parameters: ReturnType<typeof engineParameters> = [],
): Promise<GoogleSqlError | undefined> {
  try {
    const types = Object.fromEntries(parameters.map(({ name, type }) => [name, type]));
    const analysis = await engine.analyze({ sql, tables: [], parameters: types });
    await runOnEmptyTables(engine, { analysis, find: () => undefined }, parameters);
    return undefined;
  } catch (error) {
    return GoogleSqlError.from(error);
  }
}
