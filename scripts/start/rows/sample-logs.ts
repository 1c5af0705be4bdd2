// Generates sample log records that look like real traffic; the same arguments give the same records.
import traffic from './sample-traffic.json' with { type: 'json' };

/** Rows as `bq extract` writes them, by table, in order of time. */
type SampleLogs = Record<SampleTable, object[]>;
type SampleTable = 'function_relay_logs' | 'edge_logs';
type Interval = Record<'fromMs' | 'toMs', number>;

/**
 * The sample projects, for calls such as `?project=kfqzwmxhvtrnjdbyplca&function_id=…`. `weight` is a share of the
 * traffic relative to the others of a list, `errorShare` that of the answers of 400 or above; `peakHour` is in UTC.
 */
export const sampleProjects = traffic.projects;
const pickSuccess = chooser(traffic.successes);
const pickFailure = chooser(traffic.failures);
const pickPath = chooser(traffic.paths);
const projects = sampleProjects.map((project) => ({
  ...project,
  pickFunction: chooser(project.functions),
}));
type Project = (typeof projects)[number];

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const historyMs = 8 * 24 * hourMs;
const seeds = { function_relay_logs: 40_522_240, edge_logs: 40_522_241 };
/** Records in an hour, on average: a query of the local engine can read eight days of them. */
const hourly = { function_relay_logs: 130, edge_logs: 130 } as const;
/** The largest distance of a record from its place in an even spread. */
const spreadMs = 2 * minuteMs;

/** Eight days of records up to `nowMs`, about 50,000. */
export function sampleLogs({ nowMs }: { nowMs: number }): SampleLogs {
  return newSampleLogs(lastDays(nowMs));
}

/** The records of one table, each created on demand: keeping so many objects would take longer than creating them. */
export function sampleLogsOf(table: SampleTable, nowMs: number): Iterable<object> {
  return logsOf(table, lastDays(nowMs));
}

export const isSampleTable = (name: string): name is SampleTable => Object.hasOwn(hourly, name);

const lastDays = (nowMs: number): Interval => ({ fromMs: nowMs - historyMs, toMs: nowMs });

/** Records with `fromMs` <= time < `toMs`. Each hour of a project has its own generator, wherever the interval begins. */
export function newSampleLogs(interval: Interval): SampleLogs {
  return {
    function_relay_logs: [...logsOf('function_relay_logs', interval)],
    edge_logs: [...logsOf('edge_logs', interval)],
  };
}

function* logsOf(table: SampleTable, { fromMs, toMs }: Interval): Generator<object> {
  for (let hour = Math.floor(fromMs / hourMs); hour * hourMs < toMs; hour++) {
    const ofHour = projects.flatMap((project, index) => {
      const random = generator(seeds[table], hour * projects.length + index);
      const share = project.weight / totalWeight;
      const mean = hourly[table] * share * wave(hour, project.peakHour);
      const count = Math.floor(mean * (0.9 + 0.2 * random()) + random());
      return recordsOf(table, hour, project, count, random);
    });
    for (const { timeMs, row } of ofHour.sort((a, b) => a.timeMs - b.timeMs)) {
      if (timeMs >= fromMs && timeMs < toMs) yield row;
    }
  }
}

const totalWeight = sampleProjects.reduce((sum, { weight }) => sum + weight, 0);

function recordsOf(
  table: SampleTable,
  hour: number,
  project: Project,
  count: number,
  random: () => number,
) {
  const startMs = hour * hourMs;
  // Such as `2026-11-20 10:`, and an id without its last digits: building each again takes longer than everything else.
  const start = new Date(startMs).toISOString().slice(0, 14).replace('T', ' ');
  const [first, second, third, fourth] = [8, 4, 3, 3].map((length) => hexDigits(random, length));
  const id = `${first}-${second}-4${third}-8${fourth}-`;
  const content = table === 'edge_logs' ? edgeLog : functionLog;
  return Array.from({ length: count }, (_, record) => {
    const evenMs = ((record + 0.5) / count) * hourMs;
    const shiftedMs = evenMs + (2 * random() - 1) * spreadMs;
    // A time outside the hour wraps around to its other end.
    const micros = Math.floor((((shiftedMs % hourMs) + hourMs) % hourMs) * 1000);
    const ownId = id + hexDigits(random, 6) + hexDigits(random, 6);
    const timestamp = `${start}${minutesOf(micros)} UTC`;
    const row = { id: ownId, timestamp, ...content(random, project) };
    return { timeMs: startMs + micros / 1000, row };
  });
}

function functionLog(random: () => number, project: Project): object {
  const called = project.pickFunction(random);
  const coldStartMs = random() < 0.015 ? 300 + random() * 1200 : 0;
  const elapsedMs = called.medianMs * Math.exp(0.55 * gaussian(random)) + coldStartMs;
  const status = (random() < called.errorShare ? pickFailure : pickSuccess)(random).code;
  return {
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

function edgeLog(random: () => number, { ref }: Project): object {
  const { path, query } = pickPath(random);
  const url = `https://${ref}.example.co${path}${query}`;
  return { event_message: `GET | ${url}`, metadata: [{ request: [{ url, path }] }] };
}

/** Traffic relative to its mean: busy days and quiet nights, and two days a week with less of it. */
function wave(hour: number, peakHour: number): number {
  const weekend = [0, 6].includes(new Date(hour * hourMs).getUTCDay());
  const angle = ((hour + 0.5 - peakHour) / 24) * 2 * Math.PI;
  return (1 + 0.25 * Math.cos(angle)) * (weekend ? 0.9 : 1.04);
}

/** Creates the weighted choice of one of a list. */
function chooser<Choice extends { weight: number }>(choices: readonly Choice[]) {
  const total = choices.reduce((sum, { weight }) => sum + weight, 0);
  const last = choices.at(-1);
  if (last === undefined) throw new Error('nothing to choose from');
  return (random: () => number): Choice => {
    let left = random() * total;
    return choices.find(({ weight }) => (left -= weight) < 0) ?? last;
  };
}

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function hexDigits(random: () => number, length: number): string {
  const number = Math.floor(random() * 16 ** length);
  return number.toString(16).padStart(length, '0');
}

/** `07:30.123456` of the microseconds since the hour began. */
function minutesOf(micros: number): string {
  const seconds = String(micros % 60_000_000).padStart(8, '0');
  const minutes = String(Math.floor(micros / 60_000_000)).padStart(2, '0');
  return `${minutes}:${seconds.slice(0, 2)}.${seconds.slice(2)}`;
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
