// Generates sample log records that look like real traffic; the same arguments give the same records.

export interface SampleFunction {
  id: string;
  name: string;
  /** Share of the project's invocations, relative to its other functions. */
  weight: number;
  /** Half of the invocations take longer than this. */
  medianMs: number;
  /** Share of invocations that answer 400 or above. */
  errorShare: number;
}

export interface SampleProject {
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
export const sampleProjects: readonly SampleProject[] = [
  {
    ref: 'kfqzwmxhvtrnjdbyplca',
    weight: 5,
    peakHour: 14,
    functions: [
      sampleFunction('1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed', 'checkout', 5, 140, 0.03),
      sampleFunction('9c858901-8a57-4791-81fe-4c455b099bc9', 'resize-image', 3, 420, 0.02),
      sampleFunction('16fd2706-8baf-433b-82eb-8c7fada847da', 'send-receipt', 2, 95, 0.025),
    ],
  },
  {
    ref: 'hxuvgqtmdzolyrnsbeki',
    weight: 3,
    peakHour: 19,
    functions: [
      sampleFunction('6fa459ea-ee8a-4ca4-894e-db77e160355e', 'chat-completion', 4, 1150, 0.04),
      sampleFunction('886313e1-3b8a-4372-9b90-0c9aee199e5d', 'embed-document', 2, 260, 0.02),
    ],
  },
  {
    ref: 'wnpeyrkjtcsbomhvqlda',
    weight: 2,
    peakHour: 9,
    functions: [
      sampleFunction('a8098c1a-f86e-41da-bd1a-00112444be1e', 'stripe-webhook', 3, 70, 0.02),
      sampleFunction('2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d', 'nightly-report', 1, 900, 0.035),
    ],
  },
];

const minuteMs = 60_000;
const historyMs = 8 * 24 * 60 * minuteMs;
const defaultSeed = 20_261_120;

/** Eight days of records up to `nowMs`, about 20,000, the denser the more recent. */
export function sampleLogs({
  nowMs,
  seed = defaultSeed,
}: {
  nowMs: number;
  seed?: number;
}): SampleLogs {
  return between(nowMs - historyMs, nowMs, seed, (timeMs) => perMinute(nowMs - timeMs));
}

/** The records with `fromMs` <= time < `toMs`, as dense as `sampleLogs` is at its end. */
export function newSampleLogs({
  fromMs,
  toMs,
  seed = defaultSeed,
}: {
  fromMs: number;
  toMs: number;
  seed?: number;
}): SampleLogs {
  return between(fromMs, toMs, seed, () => perMinute(0));
}

/** Records of one table in a minute of this age: 15 now, half of that an hour ago, 0.5 long ago. */
function perMinute(ageMs: number): number {
  return 0.5 + 15 / (1 + ageMs / (60 * minuteMs));
}

/** Every minute has its own generator, so that a record does not depend on where an interval begins. */
function between(
  fromMs: number,
  toMs: number,
  seed: number,
  rate: (timeMs: number) => number,
): SampleLogs {
  const logs: { timeMs: number; table: keyof SampleLogs; row: object }[] = [];
  for (let minute = Math.floor(fromMs / minuteMs); minute * minuteMs < toMs; minute++) {
    for (const [index, table] of (['function_relay_logs', 'edge_logs'] as const).entries()) {
      const random = generator(seed * 2 + index, minute);
      const records = randomCount(
        random,
        rate((minute + 0.5) * minuteMs) * wave(minute * minuteMs),
      );
      for (let record = 0; record < records; record++) {
        const timeMs = (minute + random()) * minuteMs;
        const row = table === 'edge_logs' ? edgeRow(random, timeMs) : functionRow(random, timeMs);
        if (timeMs >= fromMs && timeMs < toMs) logs.push({ timeMs, table, row });
      }
    }
  }
  logs.sort((a, b) => a.timeMs - b.timeMs);
  const rows = (table: keyof SampleLogs) =>
    logs.filter((log) => log.table === table).map((log) => log.row);
  return { function_relay_logs: rows('function_relay_logs'), edge_logs: rows('edge_logs') };
}

function functionRow(random: () => number, timeMs: number): object {
  const project = pickProject(random, timeMs);
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

function edgeRow(random: () => number, timeMs: number): object {
  const project = pickProject(random, timeMs);
  const { path, query } = pick(random, paths);
  const url = `https://${project.ref}.example.co${path}${query}`;
  return {
    id: uuid(random),
    timestamp: exported(timeMs),
    event_message: `GET | ${url}`,
    metadata: [{ request: [{ url, path }] }],
  };
}

const successes = [
  { code: 200, weight: 90 },
  { code: 204, weight: 6 },
  { code: 302, weight: 2 },
  { code: 101, weight: 1 },
];
const failures = [
  { code: 400, weight: 3 },
  { code: 401, weight: 3 },
  { code: 404, weight: 2 },
  { code: 429, weight: 1 },
  { code: 500, weight: 4 },
  { code: 503, weight: 1 },
  { code: 504, weight: 1 },
];
const paths = [
  { path: '/rest/v1/orders', query: '?select=*&order=created_at.desc', weight: 30 },
  { path: '/rest/v1/products', query: '?select=id,name,price', weight: 18 },
  { path: '/rest/v1/rpc/search', query: '', weight: 8 },
  { path: '/storage/v1/object/public/images/cover.webp', query: '?width=640', weight: 12 },
  { path: '/storage/v1/object/sign/invoices/latest.pdf', query: '', weight: 3 },
  { path: '/auth/v1/token', query: '?grant_type=refresh_token', weight: 10 },
  { path: '/auth/v1/user', query: '', weight: 6 },
  { path: '/realtime/v1/websocket', query: '?vsn=1.0.0', weight: 7 },
  { path: '/functions/v1/checkout', query: '', weight: 4 },
  { path: '/graphql/v1', query: '', weight: 2 },
];

function sampleFunction(
  id: string,
  name: string,
  weight: number,
  medianMs: number,
  errorShare: number,
): SampleFunction {
  return { id, name, weight, medianMs, errorShare };
}

/** Traffic relative to its mean: busy days and quiet nights, and two days a week with less of it. */
function wave(timeMs: number): number {
  const weekend = [0, 6].includes(new Date(timeMs).getUTCDay());
  return (1 + 0.45 * Math.cos(hourAngle(timeMs, 15))) * (weekend ? 0.8 : 1.08);
}

function pickProject(random: () => number, timeMs: number): SampleProject {
  return pick(
    random,
    sampleProjects.map((project) => ({
      ...project,
      weight: project.weight * (1 + 0.5 * Math.cos(hourAngle(timeMs, project.peakHour))),
    })),
  );
}

function hourAngle(timeMs: number, peakHour: number): number {
  return ((timeMs / (60 * minuteMs) - peakHour) / 24) * 2 * Math.PI;
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

/** A random whole number with this mean. */
function randomCount(random: () => number, mean: number): number {
  return Math.floor(mean * (0.6 + 0.8 * random()) + random());
}

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function uuid(random: () => number): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** `2026-11-20 10:00:00.123456 UTC`. */
function exported(timeMs: number): string {
  const micros = String(Math.floor((timeMs % 1) * 1000)).padStart(3, '0');
  return new Date(Math.floor(timeMs)).toISOString().replace('T', ' ').replace('Z', `${micros} UTC`);
}

/** sfc32: small, fast, the same everywhere, and of 128 bits, so that no two streams ever meet. */
function generator(seed: number, stream: number): () => number {
  let [a, b, c, counter] = [seed | 0, stream | 0, 0x9e3779b9 | 0, 1];
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
