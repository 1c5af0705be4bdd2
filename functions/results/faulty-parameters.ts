// Finds out whether a query failed because of parameter values, which callers are told, or because of rows or SQL.
import type { Clock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { type ParameterValue, isAbsent } from '../core/parameter-type.ts';
import { OTHER_ROW, QueryDataError } from '../core/query-runner.ts';
import type { Entry } from '../core/result-store.ts';
import { typesOf } from '../endpoints/endpoint.ts';
import { type CanonicalParameters, invalidParameters, valuesIn } from '../endpoints/parameters.ts';
import { computeEntry } from './compute-entry.ts';

type RequestedEntry = Parameters<typeof computeEntry>[0] & { clock: Clock };

const COLUMNS = [{ name: 'length', type: 'INT64', mode: 'NULLABLE' }];
/** For all runs of a probe, each of which takes about a second. */
const PROBE_MS = 8000;
/** Further parameters are not named in errors. */
const SUSPECTS_MAX = 10;

/** `computeEntry` for a caller: rejects with INVALID_PARAMETERS if values of the parameters make the query fail. */
export async function computeRequested(request: RequestedEntry): Promise<Entry> {
  try {
    return await computeEntry(request);
  } catch (error) {
    throw (await faultOfParameters(request, error).catch(() => undefined)) ?? error;
  }
}

/**
 * Undefined unless it is certain. The probe (scripts/check/analysed-query.ts) reads no rows, so only values can make it fail: it
 * must fail with them for both made-up rows, in the way in which the query failed, and succeed with the examples. Then
 * each value is put among the examples, and must fail in the same way. Rejects if a run of the probe fails in another way.
 */
async function faultOfParameters(
  { endpoint, parameters: given, queryRunner, key, clock, deadlineMs }: RequestedEntry,
  error: unknown,
): Promise<ServiceError | undefined> {
  const { probe } = endpoint;
  const message = failureOf(error);
  if (probe === undefined || message === undefined) return undefined;
  const examples = valuesIn(endpoint, 'example');
  const defaults = valuesIn(endpoint, 'default');
  // A default that fails is not the caller's fault.
  const isSuspect = (name: string): boolean =>
    ![examples[name], defaults[name]].some((own) => isSame(own, given[name]));
  const suspects = probe.parameters.filter(isSuspect).slice(0, SUSPECTS_MAX);
  if (suspects.length === 0) return undefined;
  const untilMs = Math.min(deadlineMs, clock.nowMs() + PROBE_MS);

  const runs = [run(given), run(given, true), run(examples)];
  const [ofGiven, ofOtherRow, ofExamples] = await all(runs);
  if (ofGiven === undefined || ofOtherRow === undefined || ofExamples !== undefined) {
    return undefined;
  }
  const alone = await all(
    suspects.map(async (name) => {
      const values = { ...examples, [name]: given[name] ?? null };
      const found = await run(values);
      return found === undefined ? undefined : (await run(values, true)) && found;
    }),
  );
  if (![ofGiven, ofOtherRow, ...alone].some((one) => one && kindOf(one) === kindOf(message))) {
    return undefined;
  }
  let causes = alone;
  if (alone.every((one) => one === undefined)) {
    // The values fail only together: those without which the others succeed are the causes.
    const others = suspects.map((name) => run({ ...given, [name]: examples[name] ?? null }));
    const without = await all(others);
    causes = without.map((one) => (one === undefined ? ofGiven : undefined));
  }
  const violations = suspects.flatMap((field, index) => {
    const cause = causes[index];
    return cause === undefined ? [] : [{ field, description: descriptionOf(given[field], cause) }];
  });
  return violations.length === 0 ? undefined : invalidParameters(violations, error);

  /** BigQuery's message if the probe fails on the values. */
  async function run(values: CanonicalParameters, isOtherRow = false): Promise<string | undefined> {
    const { sql = '', parameters: names = [] } = probe ?? {};
    const own = names.map((name) => [name, values[name] ?? null] as const);
    try {
      await queryRunner.run({
        endpoint: endpoint.name,
        cause: 'probe',
        key,
        sql,
        parameters: { ...Object.fromEntries(own), [OTHER_ROW]: String(isOtherRow) },
        types: { ...typesOf(endpoint), [OTHER_ROW]: 'BOOL' },
        columns: COLUMNS,
        rowCountMax: 1,
        onPage: () => Promise.resolve(),
        deadlineMs: untilMs,
      });
      return undefined;
    } catch (failure) {
      const found = failureOf(failure);
      if (found === undefined) throw failure;
      return found;
    }
  }
}

/** BigQuery's message about values; undefined for other errors. */
function failureOf(error: unknown): string | undefined {
  const isOfLimit = error instanceof ServiceError && error.reason === 'INVALID_PARAMETERS';
  return isOfLimit || error instanceof QueryDataError ? error.message : undefined;
}

/** Waits for all, so that nothing runs after the answer. */
async function all<T>(runs: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(runs);
  return Promise.all(runs);
}

function isSame(one: ParameterValue | undefined, other: ParameterValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A message without numbers and places, which differ between rows, instants and texts. */
function kindOf(message: string): string {
  return withoutPlace(message).replaceAll(/[-+.:\d]*\d[-+.:\d]*/g, '0');
}

function withoutPlace(message: string): string {
  return message.replaceAll(/ at \[\d+:\d+\]/g, '').replace(/\.$/, '');
}

/** Safe to show: the probe has seen no rows, and no values of other callers. */
function descriptionOf(value: ParameterValue | undefined, message: string): string {
  const what = isAbsent(value ?? null)
    ? 'must be given, because without it'
    : 'has a value with which';
  return `${what} the query fails: ${withoutPlace(message)}`;
}
