// Generates sample log records that look like real traffic; the same arguments give the same records.

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
export const sampleProjects: readonly SampleProject[] = [
  {
    ref: 'kfqzwmxhvtrnjdbyplca',
    weight: 6,
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

const hourMs = 3_600_000;
const historyMs = 8 * 24 * hourMs;
const defaultSeed = 20_261_120;
/** Records in an hour, on average. */
const hourly = { function_relay_logs: 68, edge_logs: 45 } as const;

/** Eight days of records up to `nowMs`, about 20,000. */
export function sampleLogs({ nowMs, seed }: { nowMs: number; seed?: number }): SampleLogs {
  return newSampleLogs({ fromMs: nowMs - historyMs, toMs: nowMs, ...(seed && { seed }) });
}

/**
 * The records with `fromMs` <= time < `toMs`. Every hour of a project has its own generator, so that a
 * record does not depend on where an interval begins.
 */
export function newSampleLogs({
  fromMs,
  toMs,
  seed = defaultSeed,
}: {
  fromMs: number;
  toMs: number;
  seed?: number;
}): SampleLogs {
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
