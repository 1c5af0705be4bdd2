// A small run of all parts of the benchmark, each of which fails if it does not do what it measures.
import { runScript } from './support/command.ts';

it('each part of the benchmark does its work', async () => {
  const { code, stdout, stderr } = await runScript('test/bench/bench.ts', ['--small']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout.match(/^## \w+ \w+/gm)).toEqual([
    '## A cache',
    '## A cold',
    '## A miss',
    '## A stampede',
    '## A warming',
    '## A day',
  ]);
  // A minute, and more on a machine that is busy.
}, 600_000);
