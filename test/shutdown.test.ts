// Tests of when an instance that is being stopped does what, on a clock that only the test moves. faults/shutdown.long.test.ts stops processes.
import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { ServiceError } from '../functions/core/errors.ts';
import { createShutdown } from '../functions/shutdown.ts';
import { FakeClock } from './support/clock.ts';
import { FakeLog } from './support/fakes/fake-log.ts';

it.each([
  ['a request that ends with its error', true, 'ended at 8500'],
  ['an answer that its client does not read', false, 'ended at 9500, stopped_late'],
])('leaves its queries at 7 s and refuses requests at 8.5 s: with %s', async (_, isSent, end) => {
  const clock = new FakeClock('2026-11-20T10:00:00Z');
  const log = new FakeLog();
  const seen: string[] = [];
  const sinceMs = () => clock.nowMs() - Date.parse('2026-11-20T10:00:00Z');
  const see = (what: string): void => void seen.push(`${what} at ${sinceMs()}`);
  const shutdown = createShutdown({ clock, log, exit: () => see('ended') });
  shutdown.signal.addEventListener('abort', () => see('left'));
  const socket = new Socket();
  const request = new IncomingMessage(socket);
  const response = new ServerResponse(request);
  if (!isSent) shutdown.track({ request, response, socket, server: createServer() });
  void shutdown
    .inTime(new Promise(() => undefined))
    .catch(({ reason }: ServiceError) => see(`refused with ${reason}`));
  shutdown.begin();
  for (let ms = 0; ms < 10_000 && !seen.some((each) => each.startsWith('ended')); ms += 500) {
    clock.advance(500);
    await turn();
    await turn();
  }
  const late = log.events().filter((event) => event === 'stopped_late');
  expect([...seen.slice(0, 2), [seen[2], ...late].join(', ')]).toEqual([
    'left at 7000',
    'refused with INSTANCE_STOPPING at 8500',
    end,
  ]);
});
