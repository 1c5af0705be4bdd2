// Tests that instances with different clocks agree on the age of rows, by Firestore's time.
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type BigQueryStub, startBigQueryStub } from '../support/bigquery-stub-process.ts';
import { connectFirestore } from '../support/firestore-emulators.ts';
import { type RunningFunction, runFunction } from '../support/running-function.ts';
import { API_KEY, storeKey } from '../support/service.ts';

const SLOW_CLOCK = pathToFileURL('test/support/two-minutes-slow.ts').href;

it('rows of an instance two minutes behind are new to one that is right', async () => {
  const stub: BigQueryStub = await startBigQueryStub();
  const firestore = connectFirestore(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  const running: RunningFunction[] = [];
  try {
    await storeKey(firestore);
    for (const env of [{ NODE_OPTIONS: `--import=${SLOW_CLOCK}` }, {}]) {
      running.push(await runFunction({ target: 'query', firestore, bigQueryUrl: stub.url, env }));
    }
    const ages: number[] = [];
    for (const { port } of running) {
      const url = `http://127.0.0.1:${port}/api/endpoints/query/tasks.run-stats?project=a`;
      const answer = await fetch(url, { headers: { 'X-API-KEY': API_KEY } });
      expect(answer.status).toBe(200);
      ages.push(Number(answer.headers.get('age')));
    }
    expect(Math.max(...ages)).toBeLessThan(60);
  } finally {
    for (const one of running) await one.stop();
    await firestore.terminate();
    await stub.stop();
  }
}, 60_000);

it('an instance whose clock is set back by 200 s refuses a revoked key within KEY_CACHE_SECONDS', async () => {
  const stub = await startBigQueryStub();
  const firestore = connectFirestore(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  const key = 'sqk_of-somebody-who-leaves';
  let running: RunningFunction | undefined;
  try {
    await storeKey(firestore, key);
    const set = pathToFileURL('test/support/set-back-on-signal.ts').href;
    const env = { NODE_OPTIONS: `--import=${set}`, KEY_CACHE_SECONDS: '2' };
    running = await runFunction({ target: 'query', firestore, bigQueryUrl: stub.url, env });
    const url = `http://127.0.0.1:${running.port}/api/endpoints/query/tasks.run-stats?project=a`;
    const ask = (): Promise<Response> => fetch(url, { headers: { 'X-API-KEY': key } });
    expect((await ask()).status).toBe(200);
    process.kill(running.pid, 'SIGUSR2');
    await storeKey(firestore, key, { revokedAtMs: Date.now() - 1000 });
    const revokedMs = performance.now();
    while ((await ask()).status === 200 && performance.now() - revokedMs < 10_000) {
      await delay(50);
    }
    expect((await ask()).status).toBe(401);
    expect(performance.now() - revokedMs).toBeLessThan(5000);
  } finally {
    await running?.stop();
    await firestore.terminate();
    await stub.stop();
  }
}, 60_000);
