// Generates sample log records that look like real traffic; the same arguments give the same records.
import traffic from './sample-traffic.json' with { type: 'json' };

interface SampleFunction {
  id: string;
  name: string;
  /** Share of the project's invocations, relative to its other functions. */
  weight: number;
  /** Half of the invocations take longer than this. */
  medianMs: number;
  /** Share of invocations that answer 400 or above. */
  errorShare: number;
}

interface SampleProject {
  ref: string;
  /** Share of all traffic, relative to the other projects. */
  weight: number;
  /** Hour of the day, UTC, at which traffic is highest. */
  peakHour: number;
  functions: readonly SampleFunction[];
}

/** Rows as `bq extract` writes them, by table, in order of time. */
export type SampleLogs = Record<'function_relay_logs' | 'edge_logs', object[]>;

/** The sample projects, for calls such as `?project=kfqzwmxhvtrnjdbyplca&function_id=…`. */
export const sampleProjects: readonly SampleProject[] = traffic.projects;
const { successes, failures, paths } = traffic;

const hourMs = 3_600_000;
const historyMs = 8 * 24 * hourMs;
const seed = 20_261_120;
/** Records in an hour, on average. */
const hourly = { function_relay_logs: 68, edge_logs: 45 } as const;

/** Eight days of records up to `nowMs`, about 20,000. */
export function sampleLogs({ nowMs }: { nowMs: number }): SampleLogs {
  return newSampleLogs({ fromMs: nowMs - historyMs, toMs: nowMs });
}

/**
 * The records with `fromMs` <= time < `toMs`. Every hour of a project has its own generator, so that a
 * record does not depend on where an interval begins.
 */
export function newSampleLogs({ fromMs, toMs }: Record<'fromMs' | 'toMs', number>): SampleLogs {
  const rows = (table: keyof SampleLogs, tableSeed: number) => {
    const logs: { timeMs: number; row: object }[] = [];
    for (let hour = Math.floor(fromMs / hourMs); hour * hourMs < toMs; hour++) {
      for (const [index, project] of sampleProjects.entries()) {
        const random = generator(tableSeed, hour * sampleProjects.length + index);
        const share = project.weight / totalWeight;
        const count = randomCount(random, hourly[table] * share * wave(hour, project.peakHour));
        for (let record = 0; record < count; record++) {
          // Evenly spread: so no five minutes are without a record of the busiest project.
          const timeMs = (hour + (record + 0.25 + random() / 2) / count) * hourMs;
          const row = table === 'edge_logs' ? edgeRow : functionRow;
          logs.push({ timeMs, row: row(random, project, timeMs) });
        }
      }
    }
    return logs
      .filter(({ timeMs }) => timeMs >= fromMs && timeMs < toMs)
      .sort((a, b) => a.timeMs - b.timeMs)
      .map(({ row }) => row);
  };
  return {
    function_relay_logs: rows('function_relay_logs', seed * 2),
    edge_logs: rows('edge_logs', seed * 2 + 1),
  };
}

const totalWeight = sampleProjects.reduce((sum, { weight }) => sum + weight, 0);

function functionRow(random: () => number, project: SampleProject, timeMs: number): object {
  const called = pick(random, project.functions);
  const coldStartMs = random() < 0.015 ? 300 + random() * 1200 : 0;
  const elapsedMs = called.medianMs * Math.exp(0.55 * gaussian(random)) + coldStartMs;
  const status =
    random() < called.errorShare ? pick(random, failures).code : pick(random, successes).code;
  return {
    id: uuid(random),
    timestamp: exported(timeMs),
    event_message: `POST | ${status} | https://${project.ref}.example.co/functions/v1/${called.name}`,
    metadata: [
      {
        project_ref: project.ref,
        function_id: called.id,
        execution_time_ms: Math.round(elapsedMs * 1000) / 1000,
        response: [{ status_code: status }],
      },
    ],
  };
}

function edgeRow(random: () => number, { ref }: SampleProject, timeMs: number): object {
  const { path, query } = pick(random, paths);
  const url = `https://${ref}.example.co${path}${query}`;
  return {
    id: uuid(random),
    timestamp: exported(timeMs),
    event_message: `GET | ${url}`,
    metadata: [{ request: [{ url, path }] }],
  };
}

/** Traffic relative to its mean: busy days and quiet nights, and two days a week with less of it. */
function wave(hour: number, peakHour: number): number {
  const weekend = [0, 6].includes(new Date(hour * hourMs).getUTCDay());
  const angle = ((hour + 0.5 - peakHour) / 24) * 2 * Math.PI;
  return (1 + 0.3 * Math.cos(angle)) * (weekend ? 0.85 : 1.06);
}

function pick<Choice extends { weight: number }>(
  random: () => number,
  choices: readonly Choice[],
): Choice {
  let left = random() * choices.reduce((sum, { weight }) => sum + weight, 0);
  const found = choices.find(({ weight }) => (left -= weight) < 0) ?? choices.at(-1);
  if (found === undefined) throw new Error('nothing to choose from');
  return found;
}

function randomCount(random: () => number, mean: number): number {
  return Math.floor(mean * (0.9 + 0.2 * random()) + random());
}

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const HEX_DIGITS = '0123456789abcdef';

function uuid(random: () => number): string {
  let text = '';
  for (const place of 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx') {
    // The digits that are given use up one each too.
    const digit = place === '-' ? '' : HEX_DIGITS.charAt(random() * 16);
    text += place === 'x' ? digit : place;
  }
  return text;
}

/** `2026-11-20 10:00:00.123456 UTC`. */
function exported(timeMs: number): string {
  const micros = String(Math.floor((timeMs % 1) * 1000)).padStart(3, '0');
  return new Date(Math.floor(timeMs)).toISOString().replace('T', ' ').replace('Z', `${micros} UTC`);
}

/** sfc32: small, fast, the same everywhere, and of 128 bits, so that no two streams ever meet. */
function generator(ofTable: number, stream: number): () => number {
  let [a, b, c, counter] = [ofTable | 0, stream | 0, 0x9e3779b9 | 0, 1];
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };
  for (let warmUp = 0; warmUp < 15; warmUp++) next();
  return next;
}
