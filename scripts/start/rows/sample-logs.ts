// Generates sample log records that look like real traffic, as `bq extract` writes them; the same arguments give the same records.
import traffic from './sample-traffic.json' with { type: 'json' };

type SampleTable = 'function_relay_logs' | 'edge_logs';
type Interval = Record<'fromMs' | 'toMs', number>;
type Project = (typeof traffic.projects)[number];

const hourMs = 3_600_000;
const historyMs = 8 * 24 * hourMs;
const contents = { function_relay_logs: functionLog, edge_logs: edgeLog };
/** Records of a table in an hour, on average: a query of the local engine can read eight days of them. */
const hourly = 130;
/** The hour of the day with most traffic, in UTC. */
const peakHour = 14;
/** Each project as often as its weight says. */
const cycle = traffic.projects.flatMap((project) =>
  Array.from({ length: project.weight }, () => project),
);
/** Has no common divisor with the length of the cycle, so that every project comes in each cycle, and rare ones far apart. */
const stride = 11;

export const isSampleTable = (name: string): name is SampleTable => Object.hasOwn(contents, name);

/** The interval of the eight days up to an instant, in which a table has about 25,000 records. */
export const lastDays = (nowMs: number): Interval => ({ fromMs: nowMs - historyMs, toMs: nowMs });

/**
 * The records of a table with `fromMs` <= time < `toMs`, each created on demand: keeping so many objects would take longer.
 * Each hour has its own generator, wherever the interval begins.
 */
export function* sampleLogs(table: SampleTable, { fromMs, toMs }: Interval): Generator<object> {
  for (let hour = Math.floor(fromMs / hourMs); hour * hourMs < toMs; hour++) {
    const random = generator(table === 'edge_logs' ? 2 * hour : 2 * hour + 1);
    const count = Math.round(hourly * wave(hour) * (0.95 + 0.1 * random()));
    for (let index = 0; index < count; index++) {
      const ofHour = Math.floor(((index + random()) / count) * hourMs * 1000);
      const project = cycle[(index * stride) % cycle.length] as Project;
      const row = { id: uuid(hour, index, random), ...contents[table](random, project) };
      const timeMs = hour * hourMs + ofHour / 1000;
      if (timeMs < fromMs || timeMs >= toMs) continue;
      const text = new Date(Math.floor(timeMs)).toISOString().replace('T', ' ').slice(0, 23);
      yield { ...row, timestamp: `${text}${String(ofHour % 1000).padStart(3, '0')} UTC` };
    }
  }
}

function functionLog(random: () => number, { ref, functions }: Project): object {
  const called = pick(functions, random);
  const coldStartMs = random() < 0.015 ? 300 + random() * 1200 : 0;
  const elapsedMs = called.medianMs * Math.exp(0.55 * gaussian(random)) + coldStartMs;
  const codes = random() < called.errorShare ? traffic.failures : traffic.successes;
  const { code } = pick(codes, random);
  return {
    event_message: `POST | ${code} | https://${ref}.example.co/functions/v1/${called.name}`,
    metadata: [
      {
        project_ref: ref,
        function_id: called.id,
        execution_time_ms: Math.round(elapsedMs * 1000) / 1000,
        response: [{ status_code: code }],
      },
    ],
  };
}

function edgeLog(random: () => number, { ref }: Project): object {
  const { path, query } = pick(traffic.paths, random);
  const url = `https://${ref}.example.co${path}${query}`;
  return { event_message: `GET | ${url}`, metadata: [{ request: [{ url, path }] }] };
}

/** Traffic relative to its mean: busy days and quiet nights, and two days a week with less of it. */
function wave(hour: number): number {
  const weekend = [0, 6].includes(new Date(hour * hourMs).getUTCDay());
  const angle = ((hour + 0.5 - peakHour) / 24) * 2 * Math.PI;
  return (1 + 0.25 * Math.cos(angle)) * (weekend ? 0.9 : 1.04);
}

/** One of the choices, as often as its weight says. */
function pick<Choice extends { weight: number }>(choices: readonly Choice[], random: () => number) {
  let left = random() * choices.reduce((sum, { weight }) => sum + weight, 0);
  return choices.find(({ weight }) => (left -= weight) < 0) as Choice;
}

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Unique by the hour and the number of the record in it. */
function uuid(hour: number, index: number, random: () => number): string {
  const [start, place, end] = [hour, index, Math.floor(random() * 16 ** 12)].map((number) =>
    number.toString(16),
  );
  return `${start?.padStart(8, '0')}-${place?.padStart(4, '0')}-4000-8000-${end?.padStart(12, '0')}`;
}

/** Mulberry32: small, fast, and the same everywhere. */
function generator(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const first = Math.imul(state ^ (state >>> 15), 1 | state);
    const second = (first + Math.imul(first ^ (first >>> 7), 61 | first)) ^ first;
    return ((second ^ (second >>> 14)) >>> 0) / 4_294_967_296;
  };
}
