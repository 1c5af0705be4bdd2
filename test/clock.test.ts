// Tests of the system clock: it measures ages rightly while the machine's clock is set, or the machine sleeps.
import type request from 'supertest';
import { createSystemClock } from '../functions/clock.ts';
import { FakeClock } from './support/fakes/fake-clock.ts';
import { listen } from './support/service/listen.ts';
import { API_KEY, type QueryServer, createQueryServer } from './support/bigquery/query-server.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const PATH = '/api/endpoints/query/tasks.run-stats?project=a';

/** A machine, of which real time and the clock on its wall go apart. */
class Machine extends FakeClock {
  #wallMs = NOW;
  #monotonicMs = 5.25;
  readonly #clock = createSystemClock(
    () => this.#wallMs,
    () => this.#monotonicMs,
  );

  constructor() {
    super('2026-11-20T10:00:00Z');
  }

  override nowMs(): number {
    return this.#clock.nowMs();
  }

  pass(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  set(ms: number): void {
    this.#wallMs += ms;
  }
}

describe('the system clock', () => {
  it('is the time of day, in whole milliseconds', () => {
    const machine = new Machine();
    expect(machine.nowMs()).toBe(NOW);
    machine.pass(1234.5);
    expect(machine.nowMs()).toBe(NOW + 1234);
  });

  it.each([1, 60_000, 200_000])(
    'does not go back when the time of day is set back by %d ms',
    (stepMs) => {
      const machine = new Machine();
      machine.pass(10_000);
      machine.set(-stepMs);
      expect(machine.nowMs()).toBe(NOW + 10_000);
      machine.pass(5000);
      expect(machine.nowMs()).toBe(NOW + 15_000);
      machine.set(stepMs);
      expect(machine.nowMs()).toBe(NOW + 15_000);
    },
  );

  it('counts a jump ahead as elapsed time, because the machine may have slept', () => {
    const machine = new Machine();
    machine.set(3_600_000);
    expect(machine.nowMs()).toBe(NOW + 3_600_000);
    machine.pass(1000);
    expect(machine.nowMs()).toBe(NOW + 3_601_000);
  });

  it('does not drift when the wall clock jitters', () => {
    const machine = new Machine();
    for (let step = 0; step < 1000; step += 1) {
      machine.set(step % 2 === 0 ? 900 : -900);
      machine.pass(1);
      machine.nowMs();
    }
    expect(machine.nowMs()).toBe(NOW + 1000);
  });
});

describe.each([60_000, 200_000, -200_000])(
  'a machine whose clock is set back by %d ms',
  (stepMs) => {
    const KEY = 'sqk_of-somebody-who-leaves';
    let machine: Machine;
    let service: QueryServer;

    const ask = (key = API_KEY): request.Test => service.get(PATH, key);

    beforeEach(async () => {
      machine = new Machine();
      service = createQueryServer({ clock: machine });
      await listen(service.server);
    });

    it('never serves expired rows or a wrong age', async () => {
      expect((await ask()).headers['cache-status']).toContain('fwd=uri-miss; stored');
      machine.pass(10_000);
      machine.set(-stepMs);
      const aged = await ask();
      expect(Number(aged.headers.age)).toBe(stepMs > 0 ? 10 : 210);
      machine.pass(16_000);
      expect((await ask()).headers['cache-status']).toContain('; hit; ttl=');
      machine.pass(900_000);
      const after = await ask();
      expect(after.headers['cache-status']).toContain('fwd=stale; stored');
      expect(after.headers.age).toBe('0');
    });

    it('rejects a revoked key within KEY_CACHE_SECONDS', async () => {
      service.keyStore.add(KEY);
      expect((await ask(KEY)).status).toBe(200);
      machine.set(-stepMs);
      service.keyStore.keys.clear();
      machine.pass(60_001);
      expect((await ask(KEY)).status).toBe(401);
    });
  },
);
