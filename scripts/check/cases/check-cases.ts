// Runs the tests of endpoints and, with --update, records actual results as expected.
import { join } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { REASONS } from '../../../functions/core/errors.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import { fixClock } from '../../local-bigquery/index.ts';
import type { GoogleSql } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import { type DefinitionFault, formatFault } from '../../faults/definition-fault.ts';
import { readTextFile } from '../../faults/json-document.ts';
import { reasonNotRunLocally } from '../analysed-query.ts';
import type { AnalysedQueries } from '../analysed-query.ts';
import { bucketFault } from './bucket-fault.ts';
import type { CaseService } from './case-service.ts';
import { type EndpointCase, readCases } from './read-cases.ts';
import { causeText, queryFailure } from './query-failure.ts';
import { type CaseRows, resultWarnings } from './result-warnings.ts';
import { type Answer, createCaseRunner, isRecordable, parametersOf } from './run-case.ts';
import { writeFile } from '../../cli/write-file.ts';

interface CasesCheck {
  count: number;
  faults: DefinitionFault[];
  warnings: DefinitionFault[];
  /** The places and names of the cases that were changed. */
  updated: string[];
  /** Why the cases were not run locally; undefined if they were. */
  notRun?: string;
}

/** `result`: actual results are recorded as expected, unless there is another fault; `status`: also where a success became a refusal, or the reverse. */
type Update = 'result' | 'status' | undefined;

/** The caller closes the engine. */
export function createCaseChecker(engine: GoogleSql, sources: readonly Source[], update?: Update) {
  let started: Promise<CaseService> | undefined;
  // Loaded with the first case, because a check without cases needs no Google client.
  const load = async (): Promise<CaseService> =>
    (await import('./case-service.ts')).createCaseService(engine, sources);
  const start = (): Promise<CaseService> => (started ??= load());

  return {
    /** `directory` is the folder of the endpoint, which has no other fault. */
    async check(
      endpoint: Endpoint,
      queries: AnalysedQueries,
      directory: string,
    ): Promise<CasesCheck> {
      const notRun = await reasonNotRunLocally(engine, endpoint, queries);
      if (notRun !== undefined) return { count: 0, faults: [], warnings: [], updated: [], notRun };
      const { cases, faults } = await readCases(directory, sources);
      const count = cases.length;
      const parameters = cases.map((given) => parametersOf(endpoint, given, faults));
      const sql = `${endpoint.sql}\n${endpoint.warming?.sql ?? ''}`;
      const asksForTime = fixClock(sql, 0) !== sql;
      for (const [index, { name, nowMs, fault, expected, parameters: sent }] of cases.entries()) {
        if (!asksForTime || parameters[index] instanceof Error || nowMs !== undefined) continue;
        const isRefused = JSON.stringify(expected) === '{"reason":"INVALID_PARAMETERS"}';
        const allowed = `expects INVALID_PARAMETERS, but the types and rules in endpoint.json allow ${sent}: correct one of them; if the query fails with these values,`;
        const why = isRefused ? allowed : 'the query uses the current time, so';
        const message = `${why} the test needs now, such as "now": "2026-11-20T10:00:00Z"`;
        faults.push(fault(`${name}: ${message}`));
      }
      if (faults.length > 0) return { count, faults, warnings: [], updated: [] };
      const updates: { given: EndpointCase; answer: Answer }[] = [];
      const mismatches: DefinitionFault[] = [];
      const answered: CaseRows[] = [];
      /** The first case with rows. */
      let like: EndpointCase | undefined;
      let keysWithRows = 0;
      let keysWithSeveral = 0;
      let notRunWithRows: string | undefined;
      for (const [index, given] of cases.entries()) {
        const { name } = given;
        const seen = parameters.filter(
          (set, at): set is CanonicalParameters => at !== index && !(set instanceof Error),
        );
        const runner = createCaseRunner(await start(), endpoint, sources);
        const outcome = await runner.run(given, seen);
        const { answer, mismatch, warmFault } = outcome;
        keysWithRows = Math.max(keysWithRows, outcome.keysWithRows);
        keysWithSeveral = Math.max(keysWithSeveral, outcome.keysWithSeveral);
        const report = (found: DefinitionFault[], message: string | undefined): void => {
          if (message !== undefined) found.push(given.fault(`${given.name}: ${message}`));
        };
        const failed = mismatch !== undefined && answer instanceof Error ? answer : undefined;
        if (failed?.reason === 'NOT_RUN_LOCALLY' && failed.cause !== undefined) {
          const ofEngine = /^Not run locally: |; run the query on .*/g;
          notRunWithRows ??= causeText(failed).replaceAll(ofEngine, '');
          continue;
        }
        const failure = failed && queryFailure(failed, directory);
        const turned = outcomeTurns(given, answer);
        // Not if a text in the query is the cause, and not what a call sends.
        const canBeRecorded = update && isRecordable(answer) && failure?.line === undefined;
        const isRecorded =
          mismatch !== undefined && canBeRecorded && (!turned || update === 'status');
        if (isRecorded) updates.push({ given, answer });
        const remedy =
          turned && canBeRecorded && !isRecorded ? `; --update-status records ${turned}` : '';
        if (failure !== undefined && !isRecorded) {
          faults.push({
            ...failure,
            message: `${failure.message} (in the test "${name}")${remedy}`,
          });
          continue;
        }
        report(isRecorded ? mismatches : faults, mismatch && mismatch + remedy);
        report(faults, warmFault);
        const asked = parameters[index];
        if (answer instanceof Error || asked === undefined || asked instanceof Error) continue;
        report(faults, bucketFault(endpoint, asked, answer.rows));
        answered.push({ given, result: answer });
        if (answer.rows.length > 0) like ??= given;
      }
      if (endpoint.warming && keysWithSeveral < 2 && like !== undefined) {
        const runner = createCaseRunner(await start(), endpoint, sources);
        const outcome = await runner.runOnMadeRows(like);
        keysWithRows = Math.max(keysWithRows, outcome.keysWithRows);
        const { name, fault } = like;
        if (outcome.warmFault !== undefined) faults.push(fault(`${name}: ${outcome.warmFault}`));
      }
      const warnings = resultWarnings(endpoint, queries, directory, answered);
      if (faults.length > 0) {
        return { count, faults: [...faults, ...mismatches], warnings, updated: [] };
      }
      if (endpoint.warming !== undefined && answered.length > 0 && keysWithRows < 2) {
        // Such tests would pass even if the batch dropped all keys but one.
        const names = endpoint.warming.batchOver.join(' or ');
        const message = `no test has rows for two keys of one job; add a test with another ${names}, for which its tables have rows`;
        warnings.push({ file: join(directory, 'tests'), message });
      }
      await updateCases(updates);
      const updated = updates.map(({ given, answer }) => {
        const turned = outcomeTurns(given, answer);
        return formatFault(given.fault(given.name + (turned ? `: now expects ${turned}` : '')));
      });
      const notRunNow = notRunWithRows === undefined ? {} : { notRun: notRunWithRows };
      return { count, faults, warnings, updated, ...notRunNow };
    },
    async close() {
      await (await started)?.close();
    },
  };
}

/** As Prettier formats the file. */
async function updateCases(updates: readonly { given: EndpointCase; answer: Answer }[]) {
  if (updates.length === 0) return;
  const prettier = await import('prettier');
  for (const file of new Set(updates.map(({ given }) => given.file))) {
    const resolved = await prettier.resolveConfig(file, { editorconfig: true });
    const options = { ...resolved, parser: 'json' };
    let text = readTextFile(file);
    for (const { given, answer } of updates.filter((update) => update.given.file === file)) {
      for (const [field, value] of Object.entries(expectedFields(answer))) {
        // Not parsed and printed: numbers of other tests would lose digits.
        text = applyEdits(text, modify(text, [given.index, field], value, {}));
      }
    }
    writeFile(file, await prettier.format(text, options));
  }
}

/** The status of an answer that is a refusal where the test expects a success, or the reverse. */
function outcomeTurns({ expected }: EndpointCase, answer: Answer): string | undefined {
  const isRefused = answer instanceof Error;
  if (expected === undefined || 'reason' in expected === isRefused) return undefined;
  return isRefused ? `${REASONS[answer.reason].code} ${answer.reason}` : '200';
}

/** Undefined for fields that are removed. */
function expectedFields(answer: Answer): Record<string, unknown> {
  const isError = answer instanceof Error;
  return {
    expected_result: isError ? undefined : answer.rows,
    expected_http_status: isError ? REASONS[answer.reason].code : undefined,
    expected_reason: isError ? answer.reason : undefined,
  };
}
