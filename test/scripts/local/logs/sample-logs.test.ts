// Tests of the sample logs: repeatable, and similar to real traffic.
import {
  newSampleLogs,
  sampleLogs,
  sampleProjects,
} from '../../../../scripts/local/logs/sample-logs.ts';

interface RelayRow {
  id: string;
  timestamp: string;
  metadata: [
    {
      project_ref: string;
      function_id: string;
      execution_time_ms: number;
      response: [{ status_code: number }];
    },
  ];
}

const nowMs = Date.parse('2026-11-20T10:00:00Z');
const logs = sampleLogs({ nowMs });
const relay = logs.function_relay_logs as RelayRow[];

function timeMs(row: object): number {
  return Date.parse((row as RelayRow).timestamp.replace(' ', 'T').replace(' UTC', 'Z'));
}

it('are the same for the same instant and seed, and others for another seed', () => {
  expect(sampleLogs({ nowMs })).toEqual(logs);
  expect(sampleLogs({ nowMs, seed: 1 })).not.toEqual(logs);
});

it('are about 20,000 in order of time, over eight days up to the instant, with unique ids', () => {
  const all = [...logs.function_relay_logs, ...logs.edge_logs];
  expect(all.length).toBeGreaterThan(15_000);
  expect(all.length).toBeLessThan(25_000);
  expect(new Set(all.map((row) => (row as RelayRow).id)).size).toBe(all.length);
  for (const rows of [logs.function_relay_logs, logs.edge_logs]) {
    const times = rows.map(timeMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeLessThan(nowMs - 7.9 * 86_400_000);
    expect(times.at(-1)).toBeLessThan(nowMs);
    expect(times.at(-1)).toBeGreaterThan(nowMs - 60_000);
  }
});

it('have every function of every project in the last hour, and every project in the last five minutes', () => {
  const since = (ms: number) => relay.filter((row) => timeMs(row) >= nowMs - ms);
  expect(new Set(since(3_600_000).map((row) => row.metadata[0].function_id))).toEqual(
    new Set(sampleProjects.flatMap(({ functions }) => functions.map(({ id }) => id))),
  );
  expect(new Set(since(300_000).map((row) => row.metadata[0].project_ref))).toEqual(
    new Set(sampleProjects.map(({ ref }) => ref)),
  );
});

it('have 2 to 4 % errors and a long tail of latency', () => {
  const errors = relay.filter((row) => row.metadata[0].response[0].status_code >= 400);
  expect(errors.length / relay.length).toBeGreaterThan(0.02);
  expect(errors.length / relay.length).toBeLessThan(0.04);
  const times = relay.map((row) => row.metadata[0].execution_time_ms).sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  expect(at(0)).toBeGreaterThan(0);
  expect(at(0.99)).toBeGreaterThan(5 * at(0.5));
});

it('keep coming: intervals that adjoin give the records of the whole, none twice', () => {
  const middle = nowMs + 41_500;
  const end = nowMs + 180_000;
  const whole = newSampleLogs({ fromMs: nowMs, toMs: end });
  const parts = [
    newSampleLogs({ fromMs: nowMs, toMs: middle }),
    newSampleLogs({ fromMs: middle, toMs: end }),
  ];
  expect(parts.flatMap((part) => part.edge_logs)).toEqual(whole.edge_logs);
  expect(parts.flatMap((part) => part.function_relay_logs)).toEqual(whole.function_relay_logs);
  expect(whole.edge_logs.length).toBeGreaterThan(60);
});
