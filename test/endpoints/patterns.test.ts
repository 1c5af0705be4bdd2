// Tests of patterns over HTTP: which are compiled for which key, what they cost, and that a pattern evades no restriction.
import type { Test } from 'supertest';
import { listen } from '../support/service/listen.ts';
import { API_KEY, createQueryServer } from '../support/world.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { cpuMs } from '../support/process.ts';

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));

// Compiled, the 60 of them would take 15 seconds.
it('a pattern does not delay hits, whatever the key: 60 expensive patterns cost less than 2 s of CPU time', async () => {
  const RESTRICTED = 'sqk_one-project';
  const service = createQueryServer();
  await listen(service.server);
  service.keyStore.add(RESTRICTED, { parameters: { project: ['proj-a'] } });
  /** A quarter of a second each, were they compiled. */
  const EXPENSIVE = Array.from({ length: 30 }, (_, index) => `(?i)[${'Ā-ꟿ'.repeat(80)}]${index}`);

  function ask(pattern: string, key: string): Test {
    return service.ask(
      `web.visit-counts?project=${encodeURIComponent(pattern)}&interval=daily`,
      key,
    );
  }

  async function outcomeOf(test: Test): Promise<[number, string]> {
    const { status, body } = (await test) as {
      status: number;
      body: { error?: { details: { reason: string }[] } };
    };
    return [status, body.error?.details[0]?.reason ?? 'rows'];
  }

  await ask('proj-a', RESTRICTED);
  await ask('proj-a', API_KEY);
  const startedMs = cpuMs();
  const refusals = EXPENSIVE.flatMap((pattern) => [
    outcomeOf(ask(pattern, RESTRICTED)),
    outcomeOf(ask(pattern, API_KEY)),
  ]);
  const hits = Array.from({ length: 20 }, () => outcomeOf(ask('proj-a', RESTRICTED)));
  expect(await Promise.all(hits)).toEqual(Array<unknown>(20).fill([200, 'rows']));
  const statuses = (await Promise.all(refusals)).map(([status]) => status);
  const spentMs = cpuMs() - startedMs;
  expect(statuses).toEqual(EXPENSIVE.flatMap(() => [403, 400]));
  expect(spentMs).toBeLessThan(2000);
});
