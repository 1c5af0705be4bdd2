// Measures cold starts: from the start of a process to its first 200 for a stored result.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { frameworkArguments } from '../../scripts/start/function-process.ts';
import { freePort } from '../../scripts/cli/tcp-ports.ts';
import { kill } from '../support/kill.ts';
import { median } from '../support/median.ts';
import { ask, recordAnswers } from './answers.ts';
import { type Bench, inTurns, resultPaths, withBackends } from './bench-setup.ts';
import { storeForOthers } from './stored-results.ts';
import { type Findings, round } from './table.ts';

interface Starter {
  name: string;
  folder: string;
  target: string;
  path: string;
  env: Record<string, string>;
  startsMs: number[];
}

const STARTS = 10;
const START_MS_MAX = 30_000;

export function measureColdStarts(bench: Bench): Promise<Findings> {
  const { folders } = bench;
  return withBackends(bench, 0, async ({ serve, directory, firestore, env }) => {
    const paths = resultPaths(1);
    const [path = ''] = paths;
    const service = await serve(folders.service, 'query');
    const answers = await recordAnswers(`${service.url}${path}`);
    await service.stop();
    const ANSWERS = join(directory, 'answers.json');
    writeFileSync(ANSWERS, JSON.stringify(answers));
    const [document = ''] = await storeForOthers(firestore, paths, answers);

    const starter = (name: string, folder: string, target: string, at = path): Starter => ({
      ...{ name, folder, target, path: at, env: { ...env, ANSWERS }, startsMs: [] },
    });
    const ours = starter('the service', folders.service, 'query');
    const bare = starter('bare', folders.bare, 'bare');
    const documentPath = `/results/${document}`;
    const bareFirestore = starter(
      ...(['bare with Firestore', folders.bareFirestore, 'bare-firestore', documentPath] as const),
    );
    const handwritten = starter('by hand', folders.handwritten, 'handwritten');
    const starters = [ours, bare, bareFirestore, handwritten];
    // The first start of each reads its files into the page cache.
    for (const one of starters) await firstAnswerMs(one);
    await inTurns(starters, STARTS, async (one) => {
      one.startsMs.push(await firstAnswerMs(one));
    });
    const ratioTo = (other: Starter): number => median(ours.startsMs) / median(other.startsMs);
    return {
      title: 'A cold start: process start to the first 200 for a stored result',
      columns: ['function', 'median ms', 'least', 'most', 'the service / it'],
      rows: starters.map((one) => [
        one.name,
        ...[median(one.startsMs), Math.min(...one.startsMs), Math.max(...one.startsMs)].map(round),
        ratioTo(one).toFixed(2),
      ]),
      notes: [
        'The service is bundled, as deployed; the others load packages as npm installs them.',
        'The service has two clients of Firestore, one for keys. On an emulator both share a connection; deployed, each has its own.',
      ],
      figures: {
        'cold.ratio': ratioTo(bare),
        'cold.firestore.ratio': ratioTo(bareFirestore),
        'cold.handwritten.ratio': ratioTo(handwritten),
        'cold.ms': median(ours.startsMs),
      },
    };
  });
}

async function firstAnswerMs({ target, folder, env, path }: Starter): Promise<number> {
  const port = await freePort();
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
    await firstAnswer(`http://127.0.0.1:${port}${path}`);
    return performance.now() - startedMs;
  } finally {
    await kill(child);
  }
}

async function firstAnswer(url: string): Promise<void> {
  const untilMs = performance.now() + START_MS_MAX;
  while (performance.now() < untilMs) {
    const answer = await ask(url, 'gzip').catch(() => undefined);
    if (answer?.status === 200) return;
    if (answer !== undefined) throw new Error(`${url} answers ${answer.status}`);
    // The port is not open yet.
    await delay(1);
  }
  throw new Error(`${url} does not answer`);
}
