// Tests of the system clock: it measures ages rightly while the machine's clock is set, or the machine sleeps.
import { createSystemClock } from '../functions/clock.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');

/** A machine, of which real time and the clock on its wall go apart. */
function createMachine() {
  let [wallMs, monotonicMs] = [NOW, 5.25];
  const clock = createSystemClock(
    () => wallMs,
    () => monotonicMs,
  );
  const set = (ms: number): void => void (wallMs += ms);
  const pass = (ms: number): void => void ((wallMs += ms), (monotonicMs += ms));
  return { nowMs: () => clock.nowMs(), set, pass };
}

it('is the time of day, in whole milliseconds', () => {
  const machine = createMachine();
  expect(machine.nowMs()).toBe(NOW);
  machine.pass(1234.5);
  expect(machine.nowMs()).toBe(NOW + 1234);
});

it.each([1, 200_000])('does not go back when it is set back by %d ms', (stepMs) => {
  const machine = createMachine();
  machine.pass(10_000);
  machine.set(-stepMs);
  expect(machine.nowMs()).toBe(NOW + 10_000);
  machine.pass(5000);
  expect(machine.nowMs()).toBe(NOW + 15_000);
  machine.set(stepMs);
  expect(machine.nowMs()).toBe(NOW + 15_000);
});

it('counts a jump ahead as elapsed time, because the machine may have slept', () => {
  const machine = createMachine();
  machine.set(3_600_000);
  expect(machine.nowMs()).toBe(NOW + 3_600_000);
  machine.pass(1000);
  expect(machine.nowMs()).toBe(NOW + 3_601_000);
});

it('does not drift when the wall clock jitters', () => {
  const machine = createMachine();
  for (let step = 0; step < 1000; step += 1) {
    machine.set(step % 2 === 0 ? 900 : -900);
    machine.pass(1);
    machine.nowMs();
  }
  expect(machine.nowMs()).toBe(NOW + 1000);
});
