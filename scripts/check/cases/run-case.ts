// Runs one case: compares the answer with what is expected, and a batch of warm.sql with query.sql.
import { isDeepStrictEqual } from 'node:util';
import { REASONS, type ServiceError, toServiceError } from '../../../functions/core/errors.ts';
import { isScalarType, textsOf } from '../../../functions/core/parameter-type.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { checkParameters, readRequested } from '../../../functions/endpoints/parameters.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import { counted } from '../../cli/table.ts';
import type { DefinitionFault } from '../../faults/definition-fault.ts';
import type { Source } from '../../sources/read-sources.ts';
import type { CaseResult, CaseService } from './case-service.ts';
import { type Names, describeDifference } from './describe-difference.ts';
import { causeText } from './query-failure.ts';
import type { EndpointCase } from './read-cases.ts';
import { otherKeys, type KeySwap, rowsOfKeys } from './other-keys.ts';

export type Answer = CaseResult | ServiceError;

interface KeyResult {
  parameters: CanonicalParameters;
  result: CaseResult;
}

interface BatchOutcome {
  /** How warm.sql differs from query.sql; undefined if it does not. */
  warmFault: string | undefined;
  /** How many keys of the batch have rows in query.sql, and how many have several; 0 without a batch. */
  keysWithRows: number;
  keysWithSeveral: number;
}

const NO_BATCH: BatchOutcome = { warmFault: undefined, keysWithRows: 0, keysWithSeveral: 0 };

const hasRows = ({ result }: KeyResult): boolean => result.rows.length > 0;

const WARM_NAMES: Names = { expected: 'query.sql', actual: 'warm.sql' };

/** Adds a fault for each name that is no parameter: the service would ignore some of them. */
export function parametersOf(endpoint: Endpoint, given: EndpointCase, faults: DefinitionFault[]) {
  try {
    const requested = readRequested(endpoint, given.parameters);
    for (const { name, near } of requested.unknown) {
      const hint = near === undefined ? '' : `; did you mean ${near}?`;
      const message = `${name} is not a parameter of this endpoint${hint}`;
      faults.push(given.fault(`${given.name}: ${message}`));
    }
    return checkParameters(endpoint, requested);
  } catch (error) {
    return toServiceError(error);
  }
}

export function createCaseRunner(
  service: CaseService,
  endpoint: Endpoint,
  sources: readonly Source[],
) {
  const single = (parameters: CanonicalParameters): Promise<Answer> =>
    service.single(endpoint, parameters).catch(toServiceError);
  const keyText = (parameters: CanonicalParameters): string =>
    (endpoint.warming?.batchOver ?? [])
      .map((name) => `${name}=${textsOf(parameters[name] ?? null).join(',')}`)
      .join(' ');

  async function runBatch(
    own: KeyResult,
    seen: readonly CanonicalParameters[],
  ): Promise<BatchOutcome> {
    const expected = [own];
    for (const parameters of otherKeys(endpoint, own.parameters, seen)) {
      const result = await single(parameters);
      // One key that query.sql refuses would fail the whole batch.
      if (!(result instanceof Error)) expected.push({ parameters, result });
    }
    const keysWithRows = expected.filter(hasRows).length;
    const keysWithSeveral = expected.filter(({ result }) => result.rows.length > 1).length;
    if (expected.length === 1) expected.push(own);
    const warmFault = await warmFaultOf(expected);
    return { warmFault, keysWithRows, keysWithSeveral };
  }

  async function warmFaultOf(expected: readonly KeyResult[]): Promise<string | undefined> {
    const sets = expected.map(({ parameters }) => parameters);
    let results: CaseResult[];
    try {
      results = await service.batch(endpoint, sets);
    } catch (error) {
      return paragraph(`warm.sql fails: ${causeText(toServiceError(error))}`, [
        `it was run for ${sets.map(keyText).join('; ')}`,
      ]);
    }
    for (const [index, { parameters, result }] of expected.entries()) {
      const warmed = results[index] ?? { rows: [], truncated: false };
      const lines = describeDifference(result.rows, warmed.rows, WARM_NAMES);
      if (lines.length === 0 && warmed.truncated !== result.truncated) {
        const more = result.truncated ? WARM_NAMES.expected : WARM_NAMES.actual;
        lines.push(`${more} alone has more than maxRows (${endpoint.maxRows}) rows`);
      }
      if (lines.length === 0) continue;
      const others = counted(expected.length - 1, 'other key');
      const key = keyText(parameters);
      return paragraph(
        `warm.sql differs from query.sql for ${key}, in one job with ${others}`,
        lines,
      );
    }
    return undefined;
  }

  return {
    /** `seen` are the parameters of the other cases. No `mismatch`: the answer is as expected. */
    async run(given: EndpointCase, seen: readonly CanonicalParameters[]) {
      const parameters = parametersOf(endpoint, given, []);
      if (parameters instanceof Error) {
        return { answer: parameters, mismatch: mismatchOf(given, parameters), ...NO_BATCH };
      }
      await service.load(given.rows, given.nowMs ?? 0);
      const answer = await single(parameters);
      const hasBatch = !(answer instanceof Error) && endpoint.warming !== undefined;
      const batch = hasBatch ? await runBatch({ parameters, result: answer }, seen) : NO_BATCH;
      return { answer, mismatch: mismatchOf(given, answer), ...batch };
    },

    /**
     * Compares warm.sql with query.sql on rows that are made of those of a case, for several keys with several rows each.
     * `keysWithRows` is 0 where no such rows can be made, or where the result of query.sql depends on their order.
     */
    async runOnMadeRows(given: EndpointCase): Promise<BatchOutcome> {
      const own = parametersOf(endpoint, given, []);
      if (own instanceof Error) return NO_BATCH;
      const textOf = (set: CanonicalParameters, name: string): string =>
        textsOf(set[name] ?? null)[0] ?? '';
      const swaps = new Map<KeySwap, CanonicalParameters>();
      for (const set of otherKeys(endpoint, own, [])) {
        const differing = Object.keys(set).filter(
          (name) => !isDeepStrictEqual(set[name], own[name]),
        );
        const [name = ''] = differing;
        const rule = endpoint.rules.get(name);
        const swap = { own: textOf(own, name), other: textOf(set, name) };
        if (differing.length > 1 || rule === undefined || !isScalarType(rule.type)) continue;
        if (swap.own !== '' && swap.other !== '') swaps.set({ ...swap, type: rule.type }, set);
      }
      if (swaps.size === 0) return NO_BATCH;
      const made = rowsOfKeys(given.rows, sources, [...swaps.keys()]);
      const resultsOn = async (rows: typeof made): Promise<KeyResult[] | undefined> => {
        await service.load(rows, given.nowMs ?? 0);
        const results: KeyResult[] = [];
        for (const parameters of [own, ...swaps.values()]) {
          const result = await single(parameters);
          if (result instanceof Error) return undefined;
          results.push({ parameters, result });
        }
        return results;
      };
      const turned = new Map([...made].map(([name, rows]) => [name, rows.toReversed()]));
      const otherWayRound = await resultsOn(turned);
      const expected = await resultsOn(made);
      const isStable = expected?.every(({ result }, index) => {
        const [rows, others = []] = [result.rows, otherWayRound?.[index]?.result.rows];
        return describeDifference(rows, others).length === 0;
      });
      const keysWithRows = expected?.filter(hasRows).length ?? 0;
      if (expected === undefined || !isStable || keysWithRows < 2) return NO_BATCH;
      const found = await warmFaultOf(expected);
      const [key] = [...swaps.values()].map(keyText);
      const warmFault = found && `on more rows like those of the test, also for ${key}, ${found}`;
      return { ...NO_BATCH, warmFault, keysWithRows };
    },
  };
}

function mismatchOf({ expected }: EndpointCase, answer: Answer): string | undefined {
  const actual =
    answer instanceof Error
      ? `${REASONS[answer.reason].code} ${answer.reason} (${causeText(answer)})`
      : `200 with ${counted(answer.rows.length, 'row')}`;
  if (expected === undefined) {
    const field = answer instanceof Error ? 'expected_reason' : 'expected_result';
    const next = isRecordable(answer) ? ' (npm run check -- --update records it)' : '';
    return `the test has no ${field}; it returned ${actual}${next}`;
  }
  if ('reason' in expected) {
    if (answer instanceof Error && answer.reason === expected.reason) return undefined;
    return `expected ${REASONS[expected.reason].code} ${expected.reason}, but got ${actual}`;
  }
  const rows = expected.result;
  if (answer instanceof Error)
    return `expected 200 with ${counted(rows.length, 'row')}, but got ${actual}`;
  const lines = describeDifference(rows, answer.rows);
  if (lines.length === 0) return undefined;
  const [expectedCount, count] = [counted(rows.length, 'row'), answer.rows.length];
  return paragraph(
    count === rows.length
      ? `${expectedCount} returned, but not as expected`
      : `expected ${expectedCount}, but ${count} ${count === 1 ? 'was' : 'were'} returned`,
    lines,
  );
}

function paragraph(sentence: string, lines: readonly string[]): string {
  return [`${sentence}:`, ...lines.map((line) => `    ${line}`)].join('\n');
}

/** A failure of the service is not an expected result. */
export function isRecordable(answer: Answer): boolean {
  return !(answer instanceof Error) || REASONS[answer.reason].code < 500;
}
