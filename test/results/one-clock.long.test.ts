// Tests that instances with different clocks agree on the age of rows, by Firestore's time.
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
