// Logs with known answers: each version adds rows, so that an answer shows the version that it was computed from.
import { isDeepStrictEqual } from 'node:util';
import type { LocalBigQuery } from '../../scripts/local-bigquery/rest/server.ts';
import { pickOf } from '../support/random.ts';

export const NOW = '2026-11-20T10:07:30Z';
export const COUNTS = 'web.visit-counts' as const;
export const STATS = 'tasks.run-stats' as const;
const AT = '2026-11-20T10:05:00Z';
const TABLES = { [STATS]: 'task_runs', [COUNTS]: 'web_visits' };
const BUCKETS: Record<string, string> = {
  '5min': '2026-11-20T10:05:00Z',
  '15min': '2026-11-20T10:05:00Z',
  '1hr': '2026-11-20T10:05:00Z',
  '1day': '2026-11-20T10:00:00Z',
  '7day': '2026-11-20T00:00:00Z',
  minutely: '2026-11-20T10:05:00',
  hourly: '2026-11-20T10:00:00',
  daily: '2026-11-20T00:00:00',
};
/** Projects have the numbers from 1; the number of a project is part of its answers. */
const PROJECT_COUNT = 6;

/** A request, with what determines its answer: the project, undefined if it has no rows, and the interval. */
export interface Question {
  endpoint: typeof COUNTS | typeof STATS;
  query: string;
  project: number | undefined;
  interval: string;
}

export const QUESTIONS: Question[] = Array.from(
  { length: PROJECT_COUNT },
  (_, index) => index + 1,
).flatMap((project): Question[] => [
  ...['5min', '15min', '1hr', '1day', '7day'].map((interval): Question => ({
    endpoint: STATS,
    query: `project=p${project}&interval=${interval}`,
    project,
    interval,
  })),
  ...['minutely', 'hourly', 'daily'].map((interval): Question => ({
    endpoint: COUNTS,
    query: `project=//p${project}%5C.&interval=${interval}`,
    project,
    interval,
  })),
  { endpoint: STATS, query: `project=p${project}&interval=made-up`, project, interval: '1day' },
  { endpoint: STATS, query: `function_id=f&project=p${project}`, project, interval: '1day' },
  {
    endpoint: STATS,
    query: `project=p${project}&function_id=g`,
    project: undefined,
    interval: '1day',
  },
]);

/** A question with a new pattern that matches a project with rows: always a miss. */
export function newQuestion(random: () => number): Question {
  const project = 1 + Math.floor(random() * PROJECT_COUNT);
  const interval = pickOf(['minutely', 'hourly', 'daily'], random);
  const query = `project=//p${project}%5C.%7Cnobody-${Math.floor(random() * 1e12)}&interval=${interval}`;
  return { endpoint: COUNTS, query, project, interval };
}

/** A question for a new project without rows: always a miss. */
export function newEmptyQuestion(random: () => number): Question {
  const query = `project=nobody-${Math.floor(random() * 1e9)}&interval=1hr`;
  return { endpoint: STATS, query, project: undefined, interval: '1hr' };
}

/** The question that has these canonical parameters. */
export function questionOf(
  endpoint: string,
  { project = '', interval = '', function_id = '' }: Readonly<Record<string, string>>,
): Question {
  const isKnown = function_id === '' || function_id === 'f';
  const number = /^(?:\/\/)?p(\d+)(?:$|\\\.)/.exec(project)?.[1];
  return {
    endpoint: endpoint === COUNTS ? COUNTS : STATS,
    query: '',
    project: isKnown && number !== undefined ? Number(number) : undefined,
    interval,
  };
}

/** The correct answer in a version of the logs. */
export function answerOf({ endpoint, project, interval }: Question, version: number): object {
  if (project === undefined) return { result: [] };
  const timestamp = BUCKETS[interval];
  if (endpoint === COUNTS) {
    return { result: [{ timestamp, visits: project + version, urls: project }] };
  }
  const ms = project * 100;
  return {
    result: [{ timestamp, avg_duration: ms, max_duration: ms, count: project + version }],
  };
}

/** The version that an answer was computed from; undefined if it is not correct in any version. */
export function versionOf(question: Question, body: string): number | undefined {
  let answer: { result?: Record<string, number>[] };
  try {
    answer = JSON.parse(body) as typeof answer;
  } catch {
    return undefined;
  }
  const row = answer.result?.[0];
  const count = row?.count ?? row?.visits ?? 0;
  const version = row === undefined ? 0 : count - (question.project ?? 0);
  const isAnswer = isDeepStrictEqual(answer, answerOf(question, version));
  return isAnswer && version >= 0 ? version : undefined;
}

/** The rows of version 0, by table. */
export function firstRows(): Record<string, object[]> {
  const rows: Record<string, object[]> = { task_runs: [], web_visits: [] };
  for (let project = 1; project <= PROJECT_COUNT; project += 1) {
    for (let index = 0; index < project; index += 1) {
      rows.task_runs?.push(run(project));
      rows.web_visits?.push(visit(project, index));
    }
  }
  return rows;
}

/** Adds versions to the logs, and knows when each of them was current. */
export class Versions {
  readonly #bigquery: LocalBigQuery;
  /** By version: from when queries may see it, and from when all queries see it. */
  readonly #begunMs = [0];
  readonly #doneMs = [0];

  constructor(bigquery: LocalBigQuery) {
    this.#bigquery = bigquery;
  }

  get latest(): number {
    return this.#begunMs.length - 1;
  }

  async add(): Promise<void> {
    const projects = Array.from({ length: PROJECT_COUNT }, (_, index) => index + 1);
    this.#begunMs.push(Date.now());
    await Promise.all([
      this.#bigquery.appendRows(
        TABLES[STATS],
        projects.map((project) => run(project)),
      ),
      this.#bigquery.appendRows(
        TABLES[COUNTS],
        projects.map((project) => visit(project, 0)),
      ),
    ]);
    this.#doneMs.push(Date.now());
  }

  /** Whether a query between the two instants may have seen this version. */
  isPossible(version: number, fromMs: number, toMs: number): boolean {
    const begunMs = this.#begunMs[version];
    const overMs = this.#doneMs[version + 1] ?? Infinity;
    return begunMs !== undefined && begunMs <= toMs && overMs >= fromMs;
  }
}

function run(project: number): object {
  return {
    timestamp: AT,
    project: `p${project}`,
    function_id: 'f',
    duration_ms: project * 100,
  };
}

function visit(project: number, page: number): object {
  return { timestamp: AT, requests: [{ url: `https://p${project}.example.co/${page}` }] };
}
