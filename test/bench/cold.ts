// Measures cold starts: from the start of a process to its first 200 for a stored result.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { frameworkArguments } from '../../scripts/start/function-process.ts';
import { freePort } from '../support/service/free-port.ts';
import { kill } from '../support/process.ts';
import { median } from '../support/program.ts';
import { ask, recordAnswers, storeForOthers } from './answers.ts';
import { type Bench, expectDone, inTurns, resultPaths, withBackends } from './bench-setup.ts';
import { type Findings, round } from './table.ts';

const STARTS = 10;
const START_MS_MAX = 30_000;

export function measureColdStarts(bench: Bench): Promise<Findings> {
  const { folders } = bench;
  return withBackends(bench, {}, async (backends) => {
    const { serve, directory, firestore, env, bigquery } = backends;
    const paths = resultPaths(1);
    const [path = ''] = paths;
    const service = await serve(folders.service, 'query');
    const answers = await recordAnswers(`${service.url}${path}`);
    await service.stop();
    const stored = (await bigquery.control()).queries;
    const ANSWERS = join(directory, 'answers.json');
    writeFileSync(ANSWERS, JSON.stringify(answers));
    const [document = ''] = await storeForOthers(firestore, paths, answers);

    const starters = (
      [
        ['the service', folders.service, 'query', path],
        ['bare', folders.bare, 'bare', path],
        ['bare with Firestore', folders.bareFirestore, 'bare-firestore', `/results/${document}`],
        ['by hand', folders.handwritten, 'handwritten', path],
      ] as const
    ).map(([name, folder, target, at]) => ({
      name,
      start: () => firstAnswerMs(target, folder, at, { ...env, ANSWERS }),
      startsMs: [] as number[],
    }));
    // The first start of each reads its files into the page cache.
    for (const { start } of starters) await start();
    await inTurns(starters, bench.isSmall ? 2 : STARTS, async ({ start, startsMs }) => {
      startsMs.push(await start());
    });
    // Every first answer was a hit.
    expectDone({ 'queries after the first': [(await bigquery.control()).queries, stored] });
    const medians = starters.map(({ startsMs }) => median(startsMs));
    const [ours = NaN, bare = NaN, bareFirestore = NaN, handwritten = NaN] = medians;
    return {
      title: 'A cold start: process start to the first 200 for a stored result',
      columns: ['function', 'median ms', 'least', 'most', 'the service / it'],
      rows: starters.map(({ name, startsMs }) => [
        name,
        ...[median(startsMs), Math.min(...startsMs), Math.max(...startsMs)].map(round),
        (ours / median(startsMs)).toFixed(2),
      ]),
      notes: [
        'The service is bundled, as deployed; the others load packages as npm installs them.',
        'The service has two clients of Firestore, one for keys. On an emulator both share a connection; deployed, each has its own.',
      ],
      figures: {
        'cold.ratio': ours / bare,
        'cold.firestore.ratio': ours / bareFirestore,
        'cold.handwritten.ratio': ours / handwritten,
        'cold.ms': ours,
      },
    };
  });
}

/** The time until a new process answers. */
async function firstAnswerMs(
  target: string,
  folder: string,
  path: string,
  env: Record<string, string>,
): Promise<number> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}${path}`;
  const startedMs = performance.now();
  const child = spawn(process.execPath, frameworkArguments(target, folder), {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // Nothing is loaded into it that would notice the end of this process.
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  try {
    for (;;) {
      const answer = await ask(url, 'gzip').catch(() => undefined);
      const tookMs = performance.now() - startedMs;
      if (answer?.status === 200) return tookMs;
      if (answer !== undefined || tookMs > START_MS_MAX || child.exitCode !== null) {
        throw new Error(`${url} answers ${answer?.status ?? 'nothing'}`);
      }
      // The port is not open yet.
      await delay(1);
    }
  } finally {
    await kill(child);
  }
}
