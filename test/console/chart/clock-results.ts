// Results around changes of clocks and in zones that the query names.
import type { ChartInput } from '../../../functions/console/chart/plan/chart-plan.ts';
import { each, result } from './results.ts';

/** The name; type, step, zone of the page and of the query (`-` if unknown); starts of buckets; when they were computed. */
const LINES = `
a missing day after one of 25 hours | TIMESTAMP P1D America/Toronto - | 2026-10-30T04:00:00Z 2026-10-31T04:00:00Z 2026-11-01T04:00:00Z 2026-11-03T05:00:00Z 2026-11-04T05:00:00Z
the same for a reader in Berlin, where the query names its zone | TIMESTAMP P1D Europe/Berlin America/Toronto | 2026-10-30T04:00:00Z 2026-10-31T04:00:00Z 2026-11-01T04:00:00Z 2026-11-03T05:00:00Z 2026-11-04T05:00:00Z
the same where nobody knows the zone | TIMESTAMP P1D Europe/Berlin - | 2026-10-30T04:00:00Z 2026-10-31T04:00:00Z 2026-11-01T04:00:00Z 2026-11-03T05:00:00Z 2026-11-04T05:00:00Z
a day of 25 hours in its last hour | TIMESTAMP P1D America/Toronto - | 2026-10-29T04:00:00Z 2026-10-30T04:00:00Z 2026-10-31T04:00:00Z 2026-11-01T04:00:00Z | 2026-11-02T04:30:00Z
a day of 23 hours that is over | TIMESTAMP P1D Europe/Berlin - | 2026-03-25T23:00:00Z 2026-03-26T23:00:00Z 2026-03-27T23:00:00Z 2026-03-28T23:00:00Z | 2026-03-29T22:30:00Z
a DATE that is not over in the zone of the query | DATE P1D UTC America/Toronto | 2026-10-29 2026-10-30 2026-10-31 2026-11-01 | 2026-11-02T04:30:00Z
a DATE that is over in the zone of the query | DATE P1D UTC Asia/Tokyo | 2026-10-29 2026-10-30 2026-10-31 2026-11-01 | 2026-11-01T15:00:00Z
a day without a midnight | TIMESTAMP P1D America/Sao_Paulo - | 2018-11-02T03:00:00Z 2018-11-03T03:00:00Z 2018-11-04T03:00:00Z 2018-11-06T02:00:00Z
the day that Apia left out | TIMESTAMP P1D Pacific/Apia - | 2011-12-28T10:00:00Z 2011-12-29T10:00:00Z 2011-12-30T10:00:00Z 2011-12-31T10:00:00Z
a day missing before the one that Apia left out | TIMESTAMP P1D Pacific/Apia - | 2011-12-27T10:00:00Z 2011-12-28T10:00:00Z 2011-12-30T10:00:00Z 2011-12-31T10:00:00Z
a DATE of the day that Apia left out, which the zone denies | DATE P1D UTC Pacific/Apia | 2011-12-28 2011-12-29 2011-12-30 2011-12-31
weeks from Sunday over a change of clocks, one of them missing | TIMESTAMP P1W America/Toronto - | 2026-10-18T04:00:00Z 2026-10-25T04:00:00Z 2026-11-08T05:00:00Z 2026-11-15T05:00:00Z
months of Kathmandu, a February missing | TIMESTAMP P1M Asia/Kathmandu - | 2025-11-30T18:15:00Z 2025-12-31T18:15:00Z 2026-02-28T18:15:00Z 2026-03-31T18:15:00Z
leap days, and the one before missing | DATE P1D UTC - | 2028-02-26 2028-02-27 2028-02-29 2028-03-01 | 2028-03-05T00:00:00Z
hours of a DATETIME, of which its clock leaves one out | DATETIME PT1H Asia/Tokyo Europe/Berlin | 2026-03-29T00:00:00 2026-03-29T01:00:00 2026-03-29T03:00:00 2026-03-29T04:00:00
the same where nobody knows the zone: an hour without rows | DATETIME PT1H Asia/Tokyo - | 2026-03-29T00:00:00 2026-03-29T01:00:00 2026-03-29T03:00:00 2026-03-29T04:00:00
hours of a DATETIME, of which its clock has one twice | DATETIME PT1H Asia/Tokyo Europe/Berlin | 2026-10-25T01:00:00 2026-10-25T02:00:00 2026-10-25T03:00:00 2026-10-25T05:00:00
quarters of an hour where a clock is set forward by half an hour | DATETIME PT15M UTC Australia/Lord_Howe | 2026-10-04T01:30:00 2026-10-04T01:45:00 2026-10-04T02:30:00 2026-10-04T03:00:00
a DATETIME that the clock of the zone never shows stays as it is | DATETIME PT1H UTC Europe/Berlin | 2026-03-29T00:00:00 2026-03-29T01:00:00 2026-03-29T02:00:00 2026-03-29T03:00:00
days of a DATETIME, whose last is not over in its zone | DATETIME P1D Asia/Tokyo America/Toronto | 2026-10-29T00:00:00 2026-10-30T00:00:00 2026-10-31T00:00:00 2026-11-01T00:00:00 | 2026-11-02T04:30:00Z
a DATETIME of a day without a midnight, whose last day is not over in its zone | DATETIME P1D UTC America/Santiago | 2026-09-04T00:00:00 2026-09-05T00:00:00 2026-09-06T00:00:00 2026-09-07T00:00:00 | 2026-09-08T01:00:00Z
weeks of a DATETIME, of which one begins without a midnight | DATETIME P1W UTC America/Santiago | 2026-08-23T00:00:00 2026-08-30T00:00:00 2026-09-06T00:00:00 2026-09-13T00:00:00 | 2026-09-20T01:00:00Z
a DATETIME of a day without a midnight, whose last day is over in its zone | DATETIME P1D UTC Africa/Cairo | 2026-04-22T00:00:00 2026-04-23T00:00:00 2026-04-24T00:00:00 2026-04-25T00:00:00 | 2026-04-25T22:00:00Z
a last hour whose first half its clock leaves out | DATETIME PT1H UTC Australia/Lord_Howe | 2026-10-03T23:00:00 2026-10-04T00:00:00 2026-10-04T01:00:00 2026-10-04T02:00:00 | 2026-10-03T16:00:00Z
two hours of a DATETIME, of which its clock leaves the first out | DATETIME PT2H UTC Europe/Berlin | 2026-03-29T00:00:00 2026-03-29T02:00:00 2026-03-29T04:00:00 2026-03-29T06:00:00 | 2026-03-29T06:00:00Z
two hours that take three | TIMESTAMP PT2H America/Toronto America/Toronto | 2026-11-01T02:00:00Z 2026-11-01T04:00:00Z 2026-11-01T07:00:00Z 2026-11-01T09:00:00Z
the same for a reader in Berlin | TIMESTAMP PT2H Europe/Berlin America/Toronto | 2026-11-01T02:00:00Z 2026-11-01T04:00:00Z 2026-11-01T07:00:00Z 2026-11-01T09:00:00Z
an hour without rows before one that its clock cuts | TIMESTAMP PT1H Australia/Lord_Howe Australia/Lord_Howe | 2026-10-03T12:30:00Z 2026-10-03T13:30:00Z 2026-10-03T15:00:00Z 2026-10-03T16:00:00Z
an hour without rows where a clock is set back | TIMESTAMP PT1H America/Toronto America/Toronto | 2026-11-01T04:00:00Z 2026-11-01T05:00:00Z 2026-11-01T07:00:00Z 2026-11-01T08:00:00Z
days that start at six o'clock, one of 25 hours, one missing | TIMESTAMP P1D Europe/Berlin - | 2026-10-23T04:00:00Z 2026-10-24T04:00:00Z 2026-10-26T05:00:00Z 2026-10-27T05:00:00Z
`;

export const CLOCK_RESULTS: Record<string, ChartInput> = Object.fromEntries(
  LINES.trim()
    .split('\n')
    .map((line) => {
      const [name = '', column = '', starts = '', now = '2026-11-30T12:00:00Z'] = line.split(' | ');
      const [type = '', step = '', timeZone = '', zone] = column.split(' ');
      const bucket = { column: 'at', step, zone: zone === '-' ? undefined : zone };
      const options = { timeZone, bucket, computedAtMs: Date.parse(now) };
      return [name, result(`at ${type}, orders INT64`, each(starts), options)];
    }),
);
