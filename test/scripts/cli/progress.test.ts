// Tests of the progress that a slow command prints.
import { createProgress } from '../../../scripts/cli/progress.ts';

it('prints the current step at the given interval, and nothing after the end', () => {
  jest.useFakeTimers();
  const lines: string[] = [];
  const { doing, stop } = createProgress((line) => lines.push(line), 'reading', 2000);
  jest.advanceTimersByTime(1999);
  expect(lines).toEqual([]);
  jest.advanceTimersByTime(1);
  doing('checking');
  jest.advanceTimersByTime(2000);
  stop();
  jest.advanceTimersByTime(10_000);
  jest.useRealTimers();
  expect(lines).toEqual(['2 s: reading …', '4 s: checking …']);
});
