// The buckets of a chart are those of TRUNC in BigQuery, in every zone: found anew by asking the clock of the zone.
import { assert, constantFrom, integer, property, record, subarray } from 'fast-check';
import { planMoments } from '../../../functions/console/chart/plan/plan-moments.ts';
import { parseStep } from '../../../functions/console/chart/plan/step.ts';

it('has a bucket for each that TRUNC has, whichever have rows', () => {
  const ZONES =
    'UTC America/Toronto Europe/Berlin Australia/Lord_Howe America/Sao_Paulo Pacific/Apia Asia/Kathmandu Africa/Cairo America/Havana America/St_Johns Asia/Beirut'.split(
      ' ',
    );
  const UNITS = ['DAY', 'ISOWEEK', 'WEEK(SUNDAY)', 'MONTH', 'QUARTER', 'YEAR'] as const;
  const STEPS = ['P1D', 'P1W', 'P1W', 'P1M', 'P3M', 'P1Y'];
  const [QUARTER_HOUR_MS, DAY_MS] = [900_000, 86_400_000];
  const formats = new Map(
    ZONES.map((timeZone) => [timeZone, new Intl.DateTimeFormat('en-CA', { timeZone })]),
  );
  const dateAt = (ms: number, zone: string): string => formats.get(zone)?.format(ms) ?? '';

  /** The date with which the part begins. */
  function truncated(date: string, unit: (typeof UNITS)[number]): string {
    const day = new Date(date);
    const back = { ISOWEEK: (day.getUTCDay() + 6) % 7, 'WEEK(SUNDAY)': day.getUTCDay() }[
      unit as string
    ];
    const month = {
      MONTH: day.getUTCMonth(),
      QUARTER: Math.floor(day.getUTCMonth() / 3) * 3,
      YEAR: 0,
    }[unit as string];
    const start =
      month === undefined
        ? day.getTime() - (back ?? 0) * DAY_MS
        : Date.UTC(day.getUTCFullYear(), month, 1);
    return new Date(start).toISOString().slice(0, date.length);
  }

  /** The first instant of a date in a zone, or of the next one that it has. */
  function startOf(date: string, zone: string): number {
    let ms = Date.parse(date) - 15 * 3_600_000;
    while (dateAt(ms, zone) < date) ms += QUARTER_HOUR_MS;
    return ms;
  }

  /** The starts of buckets in a row: each is TRUNC of an instant a little after the one before has ended. */
  function startsFrom(day: number, zone: string, unit: (typeof UNITS)[number]): number[] {
    const first = truncated(new Date(day * DAY_MS).toISOString().slice(0, 10), unit);
    const dates = [first];
    let ms = Date.parse(first);
    while (dates.length < 7) {
      ms += DAY_MS;
      const date = truncated(new Date(ms).toISOString().slice(0, 10), unit);
      if (date !== dates.at(-1)) dates.push(date);
    }
    return [...new Set(dates.map((date) => startOf(date, zone)))];
  }

  const places = [1, 2, 3, 4];
  const cases = record({
    zone: constantFrom(...ZONES),
    unit: constantFrom(...UNITS),
    // From 1990 to 2035; half of them around the changes of 2026 and of Apia.
    day: integer({ min: 7305, max: 23_741 }),
    near: constantFrom(undefined, undefined, 15_336, 17_837, 20_540, 20_755),
    left: subarray(places),
  });
  assert(
    property(cases, ({ zone, unit, day, near, left }) => {
      const starts = startsFrom(near ?? day, zone, unit);
      const step = STEPS[UNITS.indexOf(unit)] ?? '';
      const last = starts.length - 2;
      const rows = starts
        .slice(0, last + 1)
        .filter((_, index) => !left.includes(index) || index === last)
        .map((ms) => ({ at: new Date(ms).toISOString() }));
      const input = {
        ...{ columns: [], rows, timeZone: 'UTC', computedAtMs: starts.at(-1) ?? 0 },
        bucket: { column: 'at', step, zone },
      };
      const { moments } = planMoments(input, { name: 'at', type: 'TIMESTAMP' }, parseStep(step));
      const found = moments.flatMap(({ startMs, starts: missing }) => missing ?? startMs);
      expect(found.map((ms) => dateAt(ms, zone))).toEqual(
        starts.slice(0, last + 1).map((ms) => dateAt(ms, zone)),
      );
      expect(found).toEqual(starts.slice(0, last + 1));
      // The last is over as soon as the next one begins, and not before.
      expect([moments.at(-1)?.endMs, moments.at(-1)?.state]).toEqual([starts.at(-1), 'whole']);
    }),
    { numRuns: 300 },
  );
});
