// Measures cache hits: the service in turns with the baselines and with a handwritten function.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../support/median.ts';
import { type Encoding, type PreparedAnswers, ask, recordAnswers } from './answers.ts';
import { type Backends, type Bench, inTurns, resultPaths, withBackends } from './bench-setup.ts';
import type { LoadResult } from './client.ts';
import { cpuMs } from './processes.ts';
import { storeForOthers } from './stored-results.ts';
import { type Findings, round } from './table.ts';

/** A function that is measured, and the paths to request. */
interface Contestant {
  pid: number;
  url: string;
  paths: (encoding: Encoding) => string[];
}

interface Comparison {
  layer: string;
  /** Prefix of the keys in `--json`; `<key>.<encoding>` if both encodings are measured. */
  key: string;
  encodings: readonly Encoding[];
}

interface Measured {
  requests: number;
  seconds: number;
  cpuMs: number;
  /** One value for each turn, as in the next two fields. */
  perSecond: number[];
  p50Ms: number[];
  p99Ms: number[];
}

/** All turns of a comparison, with the processes of all generations. */
interface Result {
  comparison: Comparison;
  encoding: Encoding;
  connections: number;
  ours: Measured;
  other: Measured;
}

/** Two for each connection, so that no two callers share one read of Firestore. */
const RESULTS = 64;
/** About as many as a dashboard shows. Each is read from Firestore every MEMORY_CACHE_SECONDS. */
const RESULTS_IN_MEMORY = 16;
const CONNECTIONS = [1, 32];
/** A shared machine is slow for seconds at a time, so the result is the median of many short turns. */
const ROUNDS = 8;
const BOTH = ['gzip', 'identity'] as const;
const WARM_UP_SECONDS = 3;

/**
 * V8's optimisations differ between starts of a process, by a tenth of the time of a hit and more. So each
 * function is measured in several processes, one generation after the other.
 */
const GENERATIONS = 3;

export async function measureHits(bench: Bench): Promise<Findings> {
  const results = new Map<string, Result>();
  let answers: PreparedAnswers | undefined;
  for (let generation = 1; generation <= GENERATIONS; generation += 1) {
    bench.say(`  processes ${generation} of ${GENERATIONS}`);
    answers = await withBackends(bench, 0, (backends) =>
      measureGeneration(bench, backends, results),
    );
  }
  return findingsOf([...results.values()], answers);
}

async function measureGeneration(
  bench: Bench,
  { serve, directory, firestore }: Backends,
  results: Map<string, Result>,
): Promise<PreparedAnswers> {
  const { folders } = bench;
  const start = async (
    folder: string,
    target: string,
    paths: Contestant['paths'],
    settings: Record<string, string> = {},
  ): Promise<Contestant> => ({ ...(await serve(folder, target, settings)), paths });
  const paths = resultPaths(RESULTS);
  const few = paths.slice(0, RESULTS_IN_MEMORY);
  const service = await start(folders.service, 'query', () => few);
  const noMemory = { MEMORY_CACHE_SECONDS: '0' };
  const withoutMemory = await start(folders.service, 'query', () => paths, noMemory);
  // Stores the results, which are hits from then on.
  await bench.client.run({ urls: [service.url], paths, connections: 8, amount: RESULTS });

  const answers = await recordAnswers(`${service.url}${paths[0]}`);
  const ANSWERS = join(directory, 'answers.json');
  writeFileSync(ANSWERS, JSON.stringify(answers));
  const bare = await start(folders.bare, 'bare', () => few, { ANSWERS });
  await requireSameAnswers(service.url, bare.url, paths[0] ?? '');
  const documents = await storeForOthers(firestore, paths, answers);
  const pathsOf = (encoding: Encoding): string[] =>
    documents.map((id) => `/${encoding === 'gzip' ? 'results' : 'identity'}/${id}`);
  const bareFirestore = await start(folders.bareFirestore, 'bare-firestore', pathsOf, { ANSWERS });
  const handwritten = await start(folders.handwritten, 'handwritten', () => paths);

  for (const contestant of [service, withoutMemory, bare, bareFirestore, handwritten]) {
    for (const encoding of BOTH) await load(bench, contestant, encoding, 32, WARM_UP_SECONDS);
  }
  const comparisons: [Comparison, Contestant, Contestant][] = (
    [
      ['memory / bare', 'hit.memory', BOTH, service, bare],
      ['Firestore / bare with Firestore', 'hit.firestore', BOTH, withoutMemory, bareFirestore],
      ['as deployed / by hand', 'hit.handwritten', ['gzip'], service, handwritten],
      ['Firestore / by hand', 'hit.handwritten.firestore', ['gzip'], withoutMemory, handwritten],
    ] as const
  ).map(([layer, key, encodings, ours, other]) => [{ layer, key, encodings }, ours, other]);
  for (const [comparison, ours, other] of comparisons) {
    for (const encoding of comparison.encodings) {
      for (const connections of CONNECTIONS) {
        const id = `${comparison.key} ${encoding} ${connections}`;
        const result: Result = results.get(id) ?? {
          ...{ comparison, encoding, connections, ours: nothingYet(), other: nothingYet() },
        };
        results.set(id, result);
        await compare(bench, ours, other, result);
      }
    }
  }
  return answers;
}

function findingsOf(results: readonly Result[], answers: PreparedAnswers | undefined): Findings {
  const bodyBytes = (encoding: Encoding): number =>
    Buffer.from(answers?.[encoding].body ?? '', 'base64').length;
  const findings: Findings = {
    title: 'A cache hit: the service / the other',
    columns: [
      ...['layer', 'client', 'connections', 'ratio', 'requests/s', 'other'],
      ...['p50 ms', 'other', 'p99 ms', 'other', 'CPU µs/request', 'other'],
    ],
    rows: [],
    notes: [
      `${GENERATIONS} processes of each function, ${ROUNDS} turns of each process. A ratio is the median over blocks of four turns (ABBA). The other figures are means, which include rare events, such as results in memory that expire.`,
      `A body has ${bodyBytes('identity')} bytes, ${bodyBytes('gzip')} with gzip.`,
    ],
    figures: {},
  };
  for (const { comparison, encoding, connections, ours, other } of results) {
    const ratio = median(ratiosOf(ours, other));
    findings.rows.push([
      ...[comparison.layer, encoding, connections, ratio.toFixed(2)],
      ...[ours, other].map((measured) => round(perSecond(measured))),
      ...[ours, other].map(({ p50Ms }) => round(mean(p50Ms))),
      ...[ours, other].map(({ p99Ms }) => round(mean(p99Ms))),
      ...[ours, other].map(({ cpuMs, requests }) => round((1000 * cpuMs) / requests)),
    ]);
    addRatio(findings.figures, comparison, encoding, connections, ratio);
    const cpuRatio = ours.cpuMs / ours.requests / (other.cpuMs / other.requests);
    findings.figures[`${comparison.key}.${encoding}.${connections}.cpu.ratio`] = cpuRatio;
  }
  return findings;
}

/** Adds the ratio under its own key, and as the figure of the comparison if it is the lowest so far. */
function addRatio(
  figures: Record<string, number>,
  { key, encodings }: Comparison,
  encoding: Encoding,
  connections: number,
  ratio: number,
): void {
  const own = encodings.length === 1 ? key : `${key}.${encoding}`;
  figures[`${own}.${connections}.ratio`] = ratio;
  for (const name of new Set([`${own}.ratio`, `${key}.ratio`])) {
    figures[name] = Math.min(figures[name] ?? Infinity, ratio);
  }
}

async function compare(
  bench: Bench,
  ours: Contestant,
  other: Contestant,
  result: Result,
): Promise<void> {
  const { encoding, connections } = result;
  const turns = [
    { contestant: ours, measured: result.ours },
    { contestant: other, measured: result.other },
  ];
  await inTurns(turns, ROUNDS, async ({ contestant, measured }) => {
    const cpuBeforeMs = cpuMs(contestant.pid);
    const turn = await load(bench, contestant, encoding, connections, bench.turnSeconds);
    measured.requests += turn.requests;
    measured.seconds += turn.seconds;
    measured.cpuMs += cpuMs(contestant.pid) - cpuBeforeMs;
    measured.p50Ms.push(turn.p50Ms);
    measured.p99Ms.push(turn.p99Ms);
    measured.perSecond.push(perSecond(turn));
  });
}

/** One ratio for each block of two rounds, AB and BA, so that the order has no influence. */
function ratiosOf(ours: Measured, other: Measured): number[] {
  const rate = ({ perSecond }: Measured, block: number): number =>
    mean(perSecond.slice(2 * block, 2 * block + 2));
  return Array.from(
    { length: ours.perSecond.length / 2 },
    (_, block) => rate(ours, block) / rate(other, block),
  );
}

function nothingYet(): Measured {
  return { requests: 0, seconds: 0, cpuMs: 0, perSecond: [], p50Ms: [], p99Ms: [] };
}

function load(
  bench: Bench,
  { url, paths }: Contestant,
  encoding: Encoding,
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const asked = { urls: [url], paths: paths(encoding), connections, seconds };
  return bench.client.run(asked, encoding);
}

/** Throws if the two functions send different headers or bodies. */
async function requireSameAnswers(url: string, otherUrl: string, path: string): Promise<void> {
  for (const encoding of BOTH) {
    const [ours, other] = await Promise.all(
      [url, otherUrl].map((base) => ask(`${base}${path}`, encoding)),
    );
    const names = [ours, other].map((answer) =>
      Object.keys(answer?.headers ?? {})
        .sort()
        .join(),
    );
    if (names[0] !== names[1] || !ours?.body.equals(other?.body ?? Buffer.of())) {
      throw new Error(
        `The bare function does not answer as the service does: ${names.join(' / ')}`,
      );
    }
  }
}

function perSecond({ requests, seconds }: Pick<LoadResult, 'requests' | 'seconds'>): number {
  return requests / seconds;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
