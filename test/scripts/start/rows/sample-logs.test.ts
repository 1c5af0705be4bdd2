// Tests of the sample logs: repeatable, and similar to real traffic.
import { lastDays, sampleLogs } from '../../../../scripts/start/rows/sample-logs.ts';
import traffic from '../../../../scripts/start/rows/sample-traffic.json' with { type: 'json' };

interface RelayRow {
  id: string;
  timestamp: string;
  metadata: [
    { function_id: string; execution_time_ms: number; response: [{ status_code: number }] },
  ];
}

const nowMs = Date.parse('2026-11-20T10:00:00Z');
const relay = [...sampleLogs('function_relay_logs', lastDays(nowMs))] as RelayRow[];
const edge = [...sampleLogs('edge_logs', lastDays(nowMs))];

function timeMs(row: object): number {
  return Date.parse((row as RelayRow).timestamp.replace(' ', 'T').replace(' UTC', 'Z'));
}

it('are about 50,000 in order of time, over eight days up to the given time, with unique ids', () => {
  const all = [...relay, ...edge];
  expect(all.length).toBeGreaterThan(48_000);
  expect(all.length).toBeLessThan(52_500);
  expect(new Set(all.map((row) => (row as RelayRow).id)).size).toBe(all.length);
  for (const rows of [relay, edge]) {
    const times = rows.map(timeMs);
    expect(times.every((time, index) => time >= (times[index - 1] ?? 0))).toBe(true);
    expect(times[0]).toBeLessThan(nowMs - 7.9 * 86_400_000);
    expect(times.at(-1)).toBeLessThan(nowMs);
    expect(times.at(-1)).toBeGreaterThan(nowMs - 300_000);
  }
});

it('include the example in every five minutes, and every project in every half hour', () => {
  const longestGap = (rows: object[], ref: string) => {
    const times = rows.filter((row) => JSON.stringify(row).includes(ref)).map(timeMs);
    return Math.max(...times.map((time, index) => time - (times[index - 1] ?? time)));
  };
  const [busiest] = traffic.projects;
  expect(busiest?.ref).toBe('kfqzwmxhvtrnjdbyplca');
  expect(longestGap(relay, 'kfqzwmxhvtrnjdbyplca')).toBeLessThan(300_000);
  for (const { ref } of traffic.projects) {
    expect(longestGap(relay, ref)).toBeLessThan(1_800_000);
    expect(longestGap(edge, ref)).toBeLessThan(1_800_000);
  }
});

it('include 2 to 4 % errors and a long tail of latency', () => {
  const errors = relay.filter((row) => row.metadata[0].response[0].status_code >= 400);
  expect(errors.length / relay.length).toBeGreaterThan(0.02);
  expect(errors.length / relay.length).toBeLessThan(0.04);
  const times = relay.map((row) => row.metadata[0].execution_time_ms).sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  expect(at(0)).toBeGreaterThan(0);
  expect(at(0.99)).toBeGreaterThan(5 * at(0.5));
});

it.each(['function_relay_logs', 'edge_logs'] as const)(
  'continue without a gap in %s: adjoining intervals give the rows of the whole, none twice',
  (table) => {
    const HOUR_MS = 3_600_000;
    const middle = nowMs + 3_000_500;
    const end = nowMs + 3 * HOUR_MS;
    const between = (fromMs: number, toMs: number) => [...sampleLogs(table, { fromMs, toMs })];
    const whole = between(nowMs, end);
    expect([...between(nowMs, middle), ...between(middle, end)]).toEqual(whole);
    expect(whole.length).toBeGreaterThan(120);
    expect([...sampleLogs(table, lastDays(end))].slice(-whole.length)).toEqual(whole);
  },
);
