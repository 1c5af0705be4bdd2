// Measures cold starts: from the start of a process to its first 200 for a stored result.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { frameworkArguments } from '../../scripts/start/function-process.ts';
import { freePort } from '../../scripts/cli/tcp-ports.ts';
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import { kill } from '../support/kill.ts';
import { median } from '../support/median.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ask, recordAnswers } from './answers.ts';
import {
  API_KEY,
  type Bench,
  createProject,
  environment,
  inTurns,
  resultPaths,
  serve,
} from './bench-setup.ts';
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

export async function measureColdStarts(bench: Bench): Promise<Findings> {
  const { folders, firestoreHost, say } = bench;
  const project = await createProject(bench);
  const bigquery = await startBigQueryStub(0);
  const temporary = temporaryDirectory('bench-');
  try {
    const settings = { BIGQUERY_EMULATOR_HOST: bigquery.url };
    const env = environment(project, firestoreHost, settings);
    const paths = resultPaths(1);
    const [path = ''] = paths;
    const service = await serve(bench, folders.service, 'query', env);
    const answers = await recordAnswers(`${service.url}${path}`, API_KEY);
    await service.stop();
    const ANSWERS = join(temporary.path, 'answers.json');
    writeFileSync(ANSWERS, JSON.stringify(answers));
    const [document = ''] = await storeForOthers(project, paths, answers);

    const starter = (name: string, folder: string, target: string, at = path): Starter => ({
      ...{ name, folder, target, path: at, env: { ...env, ANSWERS }, startsMs: [] },
    });
    const ours = starter('the service', folders.service, 'query');
    const bare = starter('bare', folders.bare, 'bare');
    const bareFirestore = starter(
      'bare with Firestore',
      folders.bareFirestore,
      'bare-firestore',
      `/results/${document}`,
    );
    const handwritten = starter('by hand', folders.handwritten, 'handwritten');
    const starters = [ours, bare, bareFirestore, handwritten];
    // The first start of each reads its files into the page cache.
    for (const one of starters) await firstAnswerMs(one);
    await inTurns(starters, STARTS, async (one) => {
      one.startsMs.push(await firstAnswerMs(one));
    });
    say('  counting modules');
    const ratioTo = (other: Starter): number => median(ours.startsMs) / median(other.startsMs);
    return {
      title: 'A cold start: process start to the first 200 for a stored result',
      columns: [
        ...['function', 'median ms', 'least', 'most', 'the service / it'],
        ...['modules', 'KiB of its own'],
      ],
      rows: await Promise.all(
        starters.map(async (one) => [
          one.name,
          round(median(one.startsMs)),
          round(Math.min(...one.startsMs)),
          round(Math.max(...one.startsMs)),
          ratioTo(one).toFixed(2),
          await countModules(one),
          round(sizeOf(one.folder) / 1024),
        ]),
      ),
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
  } finally {
    temporary.remove();
    await bigquery.stop();
    await project.firestore.terminate();
  }
}

async function firstAnswerMs(starter: Starter): Promise<number> {
  const port = await freePort();
  const startedMs = performance.now();
  const child = startProcess(starter, port);
  try {
    await firstAnswer(`http://127.0.0.1:${port}${starter.path}`);
    return performance.now() - startedMs;
  } finally {
    await kill(child);
  }
}

function startProcess(
  { target, folder, env }: Starter,
  port: number,
  options: string[] = [],
  channel: 'ipc' | 'ignore' = 'ignore',
): ChildProcess {
  const child = spawn(process.execPath, [...options, ...frameworkArguments(target, folder)], {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', channel],
  });
  // Nothing is loaded into it that would notice the end of this process.
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return child;
}

async function firstAnswer(url: string): Promise<void> {
  const untilMs = performance.now() + START_MS_MAX;
  while (performance.now() < untilMs) {
    const answer = await ask(url, { 'X-API-KEY': API_KEY, 'Accept-Encoding': 'gzip' }).catch(
      () => undefined,
    );
    if (answer?.status === 200) return;
    if (answer !== undefined) throw new Error(`${url} answers ${answer.status}`);
    // The port is not open yet.
    await delay(1);
  }
  throw new Error(`${url} does not answer`);
}

/** Number of files that Node has loaded at the time of the first answer. */
async function countModules(starter: Starter): Promise<number> {
  const port = await freePort();
  const child = startProcess(starter, port, ['--import', './test/bench/count-modules.ts'], 'ipc');
  let count = 0;
  child.on('message', (message) => (count = Number(message)));
  try {
    await firstAnswer(`http://127.0.0.1:${port}${starter.path}`);
    await delay(100);
    return count;
  } finally {
    await kill(child);
  }
}

/** Bytes of the deployed files, without packages and source maps. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && !/\.(map|zip|txt)$/.test(item.name))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
