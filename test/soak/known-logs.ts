// Logs with known answers: each version adds rows, so that an answer shows the version that it was computed from.
import type { LocalBigQuery } from '../../scripts/local-bigquery/rest/server.ts';
import { pickOf } from '../support/random.ts';

export const NOW = '2026-11-20T10:07:30Z';
const COUNTS = 'web.visit-counts' as const;
const STATS = 'tasks.run-stats' as const;
const AT = '2026-11-20T10:05:00Z';
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
/** The number of a project is part of its answers. */
const PROJECTS = [1, 2, 3, 4, 5, 6];

/** A request, with what determines its answer: the project, undefined if it has no rows, and the interval. */
export interface Question {
  endpoint: typeof COUNTS | typeof STATS;
  query: string;
  project: number | undefined;
  interval: string;
}

export const QUESTIONS: Question[] = PROJECTS.flatMap((project) => {
  const stats = (query: string, interval: string): Question => ({
    ...{ endpoint: STATS, query: `project=p${project}&${query}`, project, interval },
  });
  return [
    ...['5min', '15min', '1hr', '1day', '7day'].map((name) => stats(`interval=${name}`, name)),
    stats('interval=made-up', '1day'),
    stats('function_id=f', '1day'),
    { ...stats('function_id=g', '1day'), project: undefined },
    ...['minutely', 'hourly', 'daily'].map((interval) => {
      const query = `project=//p${project}%5C.&interval=${interval}`;
      return { endpoint: COUNTS, query, project, interval };
    }),
  ];
});

/** A question with a new pattern that matches a project with rows: always a miss. */
export function newQuestion(random: () => number): Question {
  const project = pickOf(PROJECTS, random);
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
function answerOf({ endpoint, project, interval }: Question, version: number): object {
  if (project === undefined) return { result: [] };
  const timestamp = BUCKETS[interval];
  const count = project + version;
  if (endpoint === COUNTS) return { result: [{ timestamp, visits: count, urls: project }] };
  const ms = project * 100;
  return { result: [{ timestamp, avg_duration: ms, max_duration: ms, count }] };
}

/** The version that an answer was computed from; undefined if it is not correct in any version. */
export function versionOf(question: Question, body: string): number | undefined {
  const count = Number(/"(?:count|visits)":(\d+)/.exec(body)?.[1] ?? question.project ?? 0);
  const version = count - (question.project ?? 0);
  const isAnswer = body === JSON.stringify(answerOf(question, version));
  return isAnswer && version >= 0 ? version : undefined;
}

/** The rows of version 0, by table: of each project as many as its number. */
export function firstRows(): Record<string, object[]> {
  const pages = PROJECTS.flatMap((project) =>
    [...Array(project).keys()].map((page) => [project, page]),
  );
  return {
    task_runs: pages.map(([project = 0]) => run(project)),
    web_visits: pages.map(([project = 0, page = 0]) => visit(project, page)),
  };
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
    const visits = PROJECTS.map((project) => visit(project, 0));
    this.#begunMs.push(Date.now());
    await Promise.all([
      this.#bigquery.appendRows('task_runs', PROJECTS.map(run)),
      this.#bigquery.appendRows('web_visits', visits),
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
  const duration_ms = project * 100;
  return { timestamp: AT, project: `p${project}`, function_id: 'f', duration_ms };
}

function visit(project: number, page: number): object {
  return { timestamp: AT, requests: [{ url: `https://p${project}.example.co/${page}` }] };
}
