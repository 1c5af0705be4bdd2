// Tests of the progress that a slow command prints.
import { createProgress } from '../../../scripts/cli/progress.ts';

it('prints the current step at the given interval, and nothing after the end', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const lines: string[] = [];
  const { doing, stop } = createProgress((line) => lines.push(line), 'reading', 2000);
  vi.advanceTimersByTime(1999);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(1);
  doing('checking');
  vi.advanceTimersByTime(2000);
  stop();
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
  expect(lines).toEqual(['2 s: reading …', '4 s: checking …']);
});
