// Dates and times: zones, daylight saving, parts, differences, formats, intervals.
import type { RowsCases } from './case.ts';

export const dates: RowsCases = {
  'EXTRACT reads a part in a zone': [
    `SELECT EXTRACT(HOUR FROM t), EXTRACT(HOUR FROM t AT TIME ZONE 'America/Los_Angeles'), EXTRACT(DATE FROM t AT TIME ZONE 'Asia/Tokyo'),
      EXTRACT(DAYOFWEEK FROM t AT TIME ZONE '+14:00')
      FROM (SELECT TIMESTAMP '2026-01-01 20:00:00+00' AS t)`,
    ['20', '12', '2026-01-02', '6'],
  ],
  'EXTRACT reads weeks: WEEK from Sunday, WEEK(MONDAY), ISOWEEK with its ISOYEAR': [
    `SELECT EXTRACT(WEEK FROM d), EXTRACT(WEEK(MONDAY) FROM d), EXTRACT(ISOWEEK FROM d), EXTRACT(ISOYEAR FROM d), EXTRACT(QUARTER FROM d), EXTRACT(DAYOFYEAR FROM d)
      FROM UNNEST([DATE '2015-12-31', '2016-01-01', '2016-01-03']) AS d ORDER BY d`,
    ['52', '52', '53', '2015', '4', '365'],
    ['0', '0', '53', '2015', '1', '1'],
    ['1', '0', '53', '2015', '1', '3'],
  ],
  'TIMESTAMP_TRUNC to a day takes the midnight of the zone': [
    `SELECT TIMESTAMP_TRUNC(t, DAY), TIMESTAMP_TRUNC(t, DAY, 'America/Los_Angeles'), TIMESTAMP_TRUNC(t, MONTH, 'Asia/Kolkata'), TIMESTAMP_TRUNC(t, WEEK(MONDAY))
      FROM (SELECT TIMESTAMP '2026-07-01 03:30:00+00' AS t)`,
    [
      '2026-07-01T00:00:00Z',
      '2026-06-30T07:00:00Z',
      '2026-06-30T18:30:00Z',
      '2026-06-29T00:00:00Z',
    ],
  ],
  'a day of the clock change has 23 or 25 hours': [
    `SELECT TIMESTAMP_DIFF(TIMESTAMP('2026-03-30', 'Europe/Berlin'), TIMESTAMP('2026-03-29', 'Europe/Berlin'), HOUR),
      TIMESTAMP_DIFF(TIMESTAMP('2026-10-26', 'Europe/Berlin'), TIMESTAMP('2026-10-25', 'Europe/Berlin'), HOUR)`,
    ['23', '25'],
  ],
  'the two hours of a clock set back are apart in UTC, the same on the wall': [
    `SELECT DATETIME(t, 'America/New_York') FROM UNNEST([TIMESTAMP '2026-11-01 05:30:00+00', '2026-11-01 06:30:00+00']) AS t ORDER BY t`,
    ['2026-11-01T01:30:00'],
    ['2026-11-01T01:30:00'],
  ],
  'a literal in a zone without an offset has the offset of its day': [
    "SELECT TIMESTAMP '2026-01-15 12:00:00 Europe/Berlin', TIMESTAMP '2026-07-15 12:00:00 Europe/Berlin', TIMESTAMP('2026-07-15 12:00:00', 'UTC')",
    ['2026-01-15T11:00:00Z', '2026-07-15T10:00:00Z', '2026-07-15T12:00:00Z'],
  ],
  'TIMESTAMP_ADD counts exact hours, also over a clock change': [
    `SELECT STRING(TIMESTAMP_ADD(TIMESTAMP '2026-03-28 12:00:00 Europe/Berlin', INTERVAL 24 HOUR), 'Europe/Berlin'),
      STRING(TIMESTAMP_ADD(TIMESTAMP '2026-03-28 12:00:00 Europe/Berlin', INTERVAL 1 DAY), 'Europe/Berlin')`,
    ['2026-03-29 13:00:00+02', '2026-03-29 13:00:00+02'],
  ],
  'DATE_DIFF counts boundaries of parts, not whole parts': [
    `SELECT DATE_DIFF('2017-10-15', '2017-10-14', WEEK), DATE_DIFF('2017-10-15', '2017-10-14', ISOWEEK), DATE_DIFF('2017-10-16', '2017-10-15', WEEK(MONDAY)),
      DATE_DIFF('2017-12-30', '2014-12-30', YEAR), DATE_DIFF('2017-12-30', '2014-12-30', ISOYEAR), DATE_DIFF('2018-01-01', '2017-12-31', MONTH), DATE_DIFF('2017-12-18', '2017-12-17', ISOWEEK)`,
    ['1', '0', '1', '3', '2', '1', '1'],
  ],
  'TIMESTAMP_DIFF counts whole parts, towards zero': [
    `SELECT TIMESTAMP_DIFF('2018-08-14 00:00:00+00', '2018-08-13 00:00:01+00', DAY), TIMESTAMP_DIFF('2001-02-01 01:00:00+00', '2001-02-01 00:00:01+00', HOUR),
      TIMESTAMP_DIFF('2018-08-13 00:00:00+00', '2018-08-14 12:00:00+00', DAY)`,
    ['0', '0', '-1'],
  ],
  'adding months stays within the month': [
    `SELECT DATE_ADD(DATE '2026-01-31', INTERVAL 1 MONTH), DATE_SUB(DATE '2024-02-29', INTERVAL 1 YEAR), DATE_ADD(DATE '2026-03-31', INTERVAL -1 QUARTER),
      DATETIME_ADD(DATETIME '2026-12-31 10:00:00', INTERVAL 2 MONTH), DATE '2026-01-31' + 1`,
    ['2026-02-28', '2023-02-28', '2025-12-31', '2027-02-28T10:00:00', '2026-02-01'],
  ],
  'an INTERVAL has months, days and microseconds apart': [
    `SELECT INTERVAL '1-2 3 4:5:6.123456' YEAR TO SECOND, MAKE_INTERVAL(hour => 30), JUSTIFY_HOURS(INTERVAL 30 HOUR), JUSTIFY_DAYS(INTERVAL 35 DAY),
      TIMESTAMP '2021-06-02 00:00:00+00' - TIMESTAMP '2021-05-31 12:00:00+00', DATE '2021-05-20' - DATE '2020-04-19'`,
    [
      '1-2 3 4:5:6.123456',
      '0-0 0 30:0:0',
      '0-0 1 6:0:0',
      '0-1 5 0:0:0',
      '0-0 0 36:0:0',
      '0-0 396 0:0:0',
    ],
  ],
  'an INTERVAL adds, subtracts, compares and gives its parts': [
    `SELECT DATETIME '2026-01-31 10:00:00' + INTERVAL 1 MONTH, TIMESTAMP '2026-01-01 00:00:00+00' - INTERVAL 90 MINUTE, INTERVAL 1 DAY = INTERVAL 24 HOUR,
      EXTRACT(HOUR FROM INTERVAL '1 10:20:30' DAY TO SECOND), INTERVAL 3 HOUR * 2, -INTERVAL 1 DAY`,
    ['2026-02-28T10:00:00', '2025-12-31T22:30:00Z', 'true', '10', '0-0 0 6:0:0', '0-0 -1 0:0:0'],
  ],
  'DATE_TRUNC goes back to the first day of a part': [
    `SELECT DATE_TRUNC(d, WEEK), DATE_TRUNC(d, WEEK(TUESDAY)), DATE_TRUNC(d, ISOWEEK), DATE_TRUNC(d, QUARTER), DATE_TRUNC(d, ISOYEAR)
      FROM (SELECT DATE '2026-11-22' AS d)`,
    ['2026-11-22', '2026-11-17', '2026-11-16', '2026-10-01', '2025-12-29'],
  ],
  'SAFE functions of dates give NULL for what is no date': [
    "SELECT SAFE.PARSE_DATE('%F', '2026-02-30'), SAFE.TIMESTAMP('x'), SAFE_CAST('24:00:00' AS TIME), SAFE.DATE(2026, 13, 1), SAFE.DATE_ADD(DATE '9999-12-31', INTERVAL 1 DAY)",
    [null, null, null, null, null],
  ],
  'DATETIME_DIFF and DATETIME_TRUNC count boundaries of the wall clock': [
    `SELECT DATETIME_DIFF('2026-01-01 00:00:00', '2025-12-31 23:59:59', YEAR), DATETIME_DIFF('2026-01-02 00:00:00', '2026-01-01 23:00:00', DAY), DATETIME_DIFF('2026-01-01 10:01:00', '2026-01-01 09:59:59', HOUR),
      DATETIME_TRUNC('2026-11-22 15:30:45', WEEK(MONDAY))`,
    ['1', '1', '1', '2026-11-16T00:00:00'],
  ],
  'an hour that a clock skips is read by the offset before the change': [
    "SELECT TIMESTAMP(DATETIME '2026-03-29 02:30:00', 'Europe/Berlin') = TIMESTAMP '2026-03-29 01:30:00+00'",
    ['true'],
  ],
  'TIMESTAMP_TRUNC to an hour in a zone with half hours': [
    "SELECT TIMESTAMP_TRUNC('2026-01-01 10:40:00+00', HOUR, 'Asia/Kolkata'), TIMESTAMP_TRUNC('2026-01-01 10:40:00+00', HOUR), DATETIME_TRUNC(DATETIME('2026-01-01 10:40:00+00', 'Asia/Kolkata'), HOUR)",
    ['2026-01-01T10:30:00Z', '2026-01-01T10:00:00Z', '2026-01-01T16:00:00'],
  ],
};
