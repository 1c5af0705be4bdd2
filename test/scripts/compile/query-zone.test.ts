// The zone in which a query counts days: only what is written out, and only if it is one.
import { queryZone } from '../../../scripts/compile/query-zone.ts';

it.each([
  ["day = CURRENT_DATE('Europe/Berlin')", 'Europe/Berlin'],
  ['day = CURRENT_DATE', 'UTC'],
  ['day = CURRENT_DATE()', 'UTC'],
  ["at > DATETIME_SUB(CURRENT_DATETIME('Asia/Tokyo'), INTERVAL 1 DAY)", 'Asia/Tokyo'],
  ["TIMESTAMP_TRUNC(at, DAY, 'America/Toronto') = @day", 'America/Toronto'],
  ['TIMESTAMP_TRUNC(at, WEEK(SUNDAY)) = @day', 'UTC'],
  ['TIMESTAMP_TRUNC(at, HOUR) = @hour', undefined],
  ["EXTRACT(DATE FROM at AT TIME ZONE 'Europe/Berlin') = @day", 'Europe/Berlin'],
  ["DATE(at, 'Europe/Berlin') BETWEEN @from AND CURRENT_DATE('Europe/Berlin')", 'Europe/Berlin'],
  ["DATE(DATETIME(at, 'Europe/Berlin')) = @day", 'Europe/Berlin'],
  ["DATE(at, 'Europe/Berlin') = CURRENT_DATE()", undefined],
  ["DATE(at, 'Europe/Berlin') = CURRENT_DATE('Asia/Tokyo')", undefined],
  ['DATE(at, @tz) = @day', undefined],
  ["DATE(at) = CURRENT_DATE('Europe/Berlin')", undefined],
  ['CAST(at AS DATE) = CURRENT_DATE()', undefined],
  ['DATE(CURRENT_TIMESTAMP()) = @day', 'UTC'],
  ["DATE(2026, 11, 20) = CURRENT_DATE('Europe/Berlin')", 'Europe/Berlin'],
  ["DATE '2026-11-20' = day", undefined],
  ["DATE(at, 'Nowhere/Land') = @day", undefined],
  ["zone = 'Europe/Berlin' AND day = @day", undefined],
  ["t.current_date = 1 -- CURRENT_DATE('Europe/Berlin')", undefined],
  ["PARSE_TIMESTAMP('%F', text, 'Europe/Berlin') > @at", 'Europe/Berlin'],
])('%s: %s', (where, zone) => {
  expect(queryZone(`SELECT * FROM t WHERE ${where}`)).toBe(zone);
});
