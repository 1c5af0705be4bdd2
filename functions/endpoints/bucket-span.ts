// The buckets of a result: how long they are, and how far its rows reach back.
import { DAY_MS } from '../core/clock.ts';
import type { BucketDefinition, Endpoint } from './endpoint.ts';
import type { CanonicalParameters } from './parameters.ts';

/** All buckets begin at multiples of `stepMs` since 1970. */
export interface BucketSpan {
  stepMs: number;
  windowMs: number;
  /** See `BucketDefinition`. */
  isWhole: boolean;
}

type Described = Pick<Endpoint, 'bucket' | 'rules'>;

/** How much the clock of a query may have been ahead of the service's. */
const CLOCK_LEAD_MS = 10_000;
const UNITS: Readonly<Record<string, number>> = {
  TS: 1000,
  TM: 60_000,
  TH: 3_600_000,
  D: DAY_MS,
  W: 7 * DAY_MS,
};

/** Undefined for a month or a year, whose length is not fixed. */
export function durationMs(duration: string): number | undefined {
  const [, time = '', count, unit = ''] = /^P(T?)(\d+)([A-Z])$/.exec(duration) ?? [];
  const unitMs = UNITS[time + unit];
  return unitMs && unitMs * Number(count);
}

/** Undefined unless the step divides a day and the window is known. */
export function spanOf(
  endpoint: Described,
  parameters: CanonicalParameters,
): BucketSpan | undefined {
  const { bucket } = endpoint;
  if (bucket === undefined) return undefined;
  const [stepMs = 0, windowMs = 0] = [bucket.step, bucket.window].map((duration) =>
    durationMs(durationFor(endpoint, duration, parameters) ?? ''),
  );
  // Without a step this is NaN.
  if (windowMs === 0 || DAY_MS % stepMs !== 0) return undefined;
  return { stepMs, windowMs, isWhole: bucket.whole === true };
}

/** Of a step or window, the duration that the parameters choose; a listed value may be written otherwise than it is bound. */
export function durationFor(
  { rules }: Pick<Endpoint, 'rules'>,
  duration: BucketDefinition['window'],
  parameters: CanonicalParameters,
): string | undefined {
  if (typeof duration !== 'object') return duration;
  const { parameter: name, values } = duration;
  const isGiven = (text: string): boolean => rules.get(name)?.canonical(text) === parameters[name];
  return Object.entries(values).find(([text]) => isGiven(text))?.[1];
}

/** For each step and window of an endpoint, parameters that choose it. */
export function bucketParameters({ bucket, rules }: Described): CanonicalParameters[] {
  const durations = [bucket?.step, bucket?.window].filter((one) => typeof one === 'object');
  return durations.reduce<CanonicalParameters[]>(
    (sets, { parameter: name, values }) =>
      sets.flatMap((set) => {
        if (name in set) return [set];
        const listed = Object.keys(values).map((text) => rules.get(name)?.canonical(text) ?? text);
        return listed.map((value) => ({ ...set, [name]: value }));
      }),
    [{}],
  );
}

/**
 * Where the rows of a result begin that is computed at `nowMs`, and the end of the buckets that an earlier result has only in
 * part, or not at all: they are computed anew.
 */
export function windowAt({ stepMs, windowMs, isWhole }: BucketSpan, nowMs: number) {
  const startMs = nowMs - windowMs;
  const leadMs = startMs + CLOCK_LEAD_MS;
  return isWhole
    ? { startMs: floorTo(startMs, stepMs), cutUntilMs: floorTo(leadMs, stepMs) }
    : { startMs, cutUntilMs: Math.ceil(leadMs / stepMs) * stepMs };
}

export function floorTo(ms: number, stepMs: number): number {
  return Math.floor(ms / stepMs) * stepMs;
}
