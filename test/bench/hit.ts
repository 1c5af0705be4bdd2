// Measures cache hits: the service in turns with the baselines and with a handwritten function.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { median } from '../support/program.ts';
import { type Credential, type Encoding, ask, recordAnswers, storeForOthers } from './answers.ts';
import {
  type Backends,
  type Bench,
  expectDone,
  inTurns,
  resultPaths,
  withBackends,
} from './bench-setup.ts';
import { type LoadResult, cpuMs, runLoad } from './load.ts';
import { type Findings, round } from './table.ts';

/** A function that is measured, and the paths to request. */
interface Contestant {
  pid: number;
  url: string;
  paths: (encoding: Encoding) => string[];
  /** By default the API key. */
  credential?: Credential;
}

interface Turn extends LoadResult {
  cpuMs: number;
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

/** Each with the prefix of its keys in `--json`: `<key>.<encoding>` if both encodings are measured. */
const COMPARISONS = (
  [
    ['memory / bare', 'hit.memory', BOTH, 'service', 'bare'],
    ['Firestore / bare with Firestore', 'hit.firestore', BOTH, 'withoutMemory', 'bareFirestore'],
    ['with a token / with a key', 'hit.token', ['gzip'], 'withToken', 'service'],
    ['as deployed / by hand', 'hit.handwritten', ['gzip'], 'service', 'handwritten'],
    ['Firestore / by hand', 'hit.handwritten.firestore', ['gzip'], 'withoutMemory', 'handwritten'],
  ] as const
).flatMap(([layer, key, encodings, ours, other]) =>
  encodings.flatMap((encoding) => {
    const own = encodings.length === 1 ? key : `${key}.${encoding}`;
    return CONNECTIONS.map((connections) => ({
      ...{ layer, key, own, encoding, connections, ours, other },
    }));
  }),
);

export async function measureHits(bench: Bench): Promise<Findings> {
  const measured = COMPARISONS.map((comparison) => ({
    comparison,
    /** All turns, with the processes of all generations. */
    ours: [] as Turn[],
    others: [] as Turn[],
  }));
  const [generations, rounds] = bench.isSmall ? [1, 2] : [GENERATIONS, ROUNDS];
  let bodyBytes = { gzip: 0, identity: 0 };
  for (let generation = 1; generation <= generations; generation += 1) {
    bench.say(`  processes ${generation} of ${generations}`);
    await withBackends(bench, {}, async (backends) => {
      const { contestants, answers } = await startContestants(bench, backends);
      const bytes = (encoding: Encoding): number =>
        Buffer.from(answers[encoding].body, 'base64').length;
      bodyBytes = { gzip: bytes('gzip'), identity: bytes('identity') };
      for (const { comparison, ours, others } of measured) {
        const { encoding, connections } = comparison;
        const sides = [
          { contestant: contestants[comparison.ours], turns: ours },
          { contestant: contestants[comparison.other], turns: others },
        ];
        await inTurns(sides, rounds, async ({ contestant, turns }) => {
          const cpuBeforeMs = cpuMs(contestant.pid);
          const turn = await load(bench, contestant, encoding, connections, bench.turnSeconds);
          turns.push({ ...turn, cpuMs: cpuMs(contestant.pid) - cpuBeforeMs });
        });
      }
      await expectHits(contestants, backends);
    });
  }

  const figures: Record<string, number> = {};
  const rows = measured.map(({ comparison, ours, others }) => {
    const { layer, key, own, encoding, connections } = comparison;
    const ratio = median(ratiosOf(ours, others));
    figures[`${own}.${connections}.ratio`] = ratio;
    // The lowest, of an encoding and of both.
    for (const name of new Set([`${own}.ratio`, `${key}.ratio`])) {
      figures[name] = Math.min(figures[name] ?? Infinity, ratio);
    }
    return [
      ...[layer, encoding, connections, ratio.toFixed(2)],
      ...[ours, others].map((turns) => round(perSecond(turns))),
      ...[ours, others].map((turns) => round(sumOf(turns, 'p50Ms') / turns.length)),
      ...[ours, others].map((turns) => round(sumOf(turns, 'p99Ms') / turns.length)),
      ...[ours, others].map((turns) =>
        round((1000 * sumOf(turns, 'cpuMs')) / sumOf(turns, 'requests')),
      ),
    ];
  });
  return {
    title: 'A cache hit: the service / the other',
    columns: [
      ...['layer', 'client', 'connections', 'ratio', 'requests/s', 'other'],
      ...['p50 ms', 'other', 'p99 ms', 'other', 'CPU µs/request', 'other'],
    ],
    rows,
    notes: [
      `${generations} processes of each function, ${rounds} turns of each process. A ratio is the median over blocks of four turns (ABBA). The other figures are means, which include rare events, such as results in memory that expire.`,
      `A body has ${bodyBytes.identity} bytes, ${bodyBytes.gzip} with gzip.`,
    ],
    figures,
  };
}

async function startContestants(bench: Bench, { serve, directory, firestore, token }: Backends) {
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
  await runLoad({ urls: [service.url], paths, connections: 8, amount: RESULTS });

  const answers = await recordAnswers(`${service.url}${paths[0]}`);
  const ANSWERS = join(directory, 'answers.json');
  writeFileSync(ANSWERS, JSON.stringify(answers));
  const bare = await start(folders.bare, 'bare', () => few, { ANSWERS });
  if (!isDeepStrictEqual(await recordAnswers(`${bare.url}${paths[0]}`), answers)) {
    throw new Error('The bare function does not answer as the service does.');
  }
  const documents = await storeForOthers(firestore, paths, answers);
  const pathsOf = (encoding: Encoding): string[] =>
    documents.map((id) => `/${encoding === 'gzip' ? 'results' : 'identity'}/${id}`);
  const bareFirestore = await start(folders.bareFirestore, 'bare-firestore', pathsOf, { ANSWERS });
  const handwritten = await start(folders.handwritten, 'handwritten', () => paths);

  const withToken = { ...service, credential: { Authorization: `Bearer ${token}` } };
  const contestants = { service, withToken, withoutMemory, bare, bareFirestore, handwritten };
  for (const contestant of Object.values(contestants)) {
    for (const encoding of BOTH) await load(bench, contestant, encoding, 32, WARM_UP_SECONDS);
  }
  return { contestants, answers };
}

/** Every answer had status 200; here, that none was computed, and where the rows were. */
async function expectHits(
  { service, withoutMemory }: Record<'service' | 'withoutMemory', Contestant>,
  { bigquery }: Backends,
): Promise<void> {
  // Those that have stored the results, and the first one of the service and of the handwritten function.
  expectDone({ 'queries before all hits': [(await bigquery.control()).queries, RESULTS + 2] });
  for (const { url, paths } of [service, withoutMemory]) {
    // The first may have to read the result again.
    const asked = `${url}${paths('gzip')[0]}`;
    await ask(asked, 'gzip');
    const { rawHeaders } = await ask(asked, 'gzip');
    const status = rawHeaders[rawHeaders.indexOf('Cache-Status') + 1] ?? '';
    const isInMemory = status.includes('detail=memory');
    if (!status.includes('; hit') || isInMemory !== (url === service.url))
      throw new Error(`A hit has the Cache-Status ${status}.`);
  }
}

/** One ratio for each block of two rounds, AB and BA, so that the order has no influence. */
function ratiosOf(ours: readonly Turn[], others: readonly Turn[]): number[] {
  const rate = (turns: readonly Turn[], block: number): number =>
    turns.slice(2 * block, 2 * block + 2).reduce((sum, turn) => sum + perSecond([turn]), 0);
  return Array.from(
    { length: ours.length / 2 },
    (_, block) => rate(ours, block) / rate(others, block),
  );
}

function sumOf(
  turns: readonly Turn[],
  field: 'requests' | 'seconds' | 'cpuMs' | 'p50Ms' | 'p99Ms',
): number {
  return turns.reduce((sum, turn) => sum + turn[field], 0);
}

function perSecond(turns: readonly Turn[]): number {
  return sumOf(turns, 'requests') / sumOf(turns, 'seconds');
}

function load(
  bench: Bench,
  { url, paths, credential }: Contestant,
  encoding: Encoding,
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  // Not by time, in which a busy machine may answer none.
  const until = bench.isSmall ? { amount: 32 } : { seconds };
  return runLoad({
    urls: [url],
    paths: paths(encoding),
    connections,
    ...until,
    encoding,
    credential,
  });
}
