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
  'LAST_DAY is that of the month, or of another part': [
    `SELECT LAST_DAY(DATE '2024-02-10'), LAST_DAY(DATE '2008-11-25', YEAR), LAST_DAY(DATE '2008-11-10', WEEK(SUNDAY)), LAST_DAY(DATE '2008-11-10', WEEK(MONDAY)),
      LAST_DAY(DATETIME '2026-05-05 10:00:00', QUARTER)`,
    ['2024-02-29', '2008-12-31', '2008-11-15', '2008-11-16', '2026-06-30'],
  ],
  'PARSE_TIMESTAMP and its like read by a format': [
    `SELECT PARSE_TIMESTAMP('%Y-%m-%d %H:%M:%S%Ez', '2026-01-02 03:04:05+02:00'), PARSE_TIMESTAMP('%d/%b/%Y %T', '02/Jan/2026 03:04:05', 'America/New_York'),
      PARSE_DATE('%A, %B %e, %Y', 'Thursday, December 25, 2008'), PARSE_TIME('%I:%M %p', '2:23 PM'), PARSE_DATETIME('%s', '1000000000'), PARSE_TIMESTAMP('%E*S', '5.25')`,
    [
      '2026-01-02T01:04:05Z',
      '2026-01-02T08:04:05Z',
      '2008-12-25',
      '14:23:00',
      '2001-09-09T01:46:40',
      '1970-01-01T00:00:05.250000Z',
    ],
  ],
  'FORMAT_TIMESTAMP and its like write by a format, in a zone': [
    `SELECT FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%E3S%Ez', t, 'Asia/Kolkata'), FORMAT_TIMESTAMP('%A %j %U %V %Z', t), FORMAT_DATE('%x %b-%d-%y', DATE '2008-12-25'),
      FORMAT_DATETIME('%I:%M %p, Q%Q', DATETIME '2026-05-06 15:07:00')
      FROM (SELECT TIMESTAMP '2026-01-02 03:04:05.678+00' AS t)`,
    ['2026-01-02T08:34:05.678+05:30', 'Friday 002 00 01 UTC', '12/25/08 Dec-25-08', '03:07 PM, Q2'],
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
  'a unix time converts in three units; FLOOR before 1970': [
    `SELECT TIMESTAMP_SECONDS(1), TIMESTAMP_MILLIS(-1), TIMESTAMP_MICROS(1), UNIX_SECONDS(TIMESTAMP '1969-12-31 23:59:59.5+00'), UNIX_DATE(DATE '1970-01-02'), DATE_FROM_UNIX_DATE(-1)`,
    [
      '1970-01-01T00:00:01Z',
      '1969-12-31T23:59:59.999000Z',
      '1970-01-01T00:00:00.000001Z',
      '-1',
      '1',
      '1969-12-31',
    ],
  ],
  'a TIME wraps around midnight': [
    "SELECT TIME_ADD(TIME '23:30:00', INTERVAL 45 MINUTE), TIME_SUB(TIME '00:10:00', INTERVAL 1 HOUR), TIME_TRUNC(TIME '15:30:45', HOUR), TIME_DIFF(TIME '15:30:00', TIME '14:35:00', MINUTE)",
    ['00:15:00', '23:10:00', '15:00:00', '55'],
  ],
  'DATE and DATETIME are made of parts or of a timestamp in a zone': [
    `SELECT DATE(2026, 2, 28), DATE(TIMESTAMP '2026-01-01 03:00:00+00', 'America/Los_Angeles'), DATETIME(2026, 1, 2, 3, 4, 5), TIME(1, 2, 3), TIMESTAMP(DATETIME '2026-01-01 00:00:00', 'Asia/Tokyo')`,
    ['2026-02-28', '2025-12-31', '2026-01-02T03:04:05', '01:02:03', '2025-12-31T15:00:00Z'],
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
  'DATE_BUCKET and DATETIME_BUCKET count from an origin': [
    `SELECT DATE_BUCKET(DATE '1950-01-05', INTERVAL 2 DAY), DATE_BUCKET(DATE '2026-01-05', INTERVAL 7 DAY, DATE '2026-01-01'), DATETIME_BUCKET(DATETIME '2026-01-01 13:00:00', INTERVAL 12 HOUR)`,
    ['1950-01-05', '2026-01-01', '2026-01-01T12:00:00'],
  ],
  'GAP_FILL adds the missing times of a series': [
    `SELECT time, signal FROM GAP_FILL(
        (SELECT * FROM UNNEST([STRUCT(DATETIME '2023-11-01 09:35:00' AS time, 82 AS signal), (DATETIME '2023-11-01 09:37:00', 91)])),
        ts_column => 'time', bucket_width => INTERVAL 1 MINUTE, value_columns => [('signal', 'locf')]) ORDER BY time`,
    ['2023-11-01T09:35:00', '82'],
    ['2023-11-01T09:36:00', '82'],
    ['2023-11-01T09:37:00', '91'],
  ],
};
