// How far back the shipped queries read, as `npm run check` prints it.
import { main } from '../../scripts/check.ts';
import { runCommand } from '../support/command.ts';

it('is what each interval needs, and no more than one step longer', async () => {
  const nowMs = () => Date.parse('2026-11-20T10:15:00Z');
  const { code, stdout } = await runCommand(main, ['--sql', 'sql'], {}, nowMs);
  expect(code).toBe(0);
  const [, ...lines] = stdout.slice(stdout.indexOf('QUERY')).trimEnd().split('\n');
  const windows = lines.map((line) => line.split(/ {2,}/));
  const expected = [
    ['functions.invocation-stats', '5min', '2026-11-20T10:09:00Z', '6 minutes', '1'],
    ['functions.invocation-stats', '15min', '2026-11-20T09:59:00Z', '16 minutes', '1'],
    ['functions.invocation-stats', '1hr', '2026-11-20T09:14:00Z', '61 minutes', '1'],
    ['functions.invocation-stats', '1day', '2026-11-19T09:15:00Z', '25 hours', '2'],
    ['functions.invocation-stats', '7day', '2026-11-12T10:15:00Z', '8 days', '9'],
    ['usage.api-counts', 'hourly', '2026-11-20T09:15:00Z', '1 hour', '1'],
    ['usage.api-counts', 'daily', '2026-11-13T10:15:00Z', '7 days', '8'],
    ['usage.api-counts', 'minutely', '2026-11-20T09:15:00Z', '1 hour', '1'],
  ] as const;
  expect(windows).toEqual(
    expected.flatMap(([endpoint, interval, from, window, partitions]) =>
      ['query.sql', 'warm.sql'].map((file) => [
        `${endpoint}/${file} interval=${interval}`,
        endpoint === 'usage.api-counts' ? 'edge_logs' : 'function_relay_logs',
        from,
        window,
        partitions,
      ]),
    ),
  );
});
