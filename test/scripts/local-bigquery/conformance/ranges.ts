// RANGE values: half open, with or without bounds.
import type { RowsCase } from './case.ts';

export const ranges: RowsCase[] = [
  {
    name: 'a literal has a closed start and an open end',
    sql: "SELECT RANGE<DATE> '[2022-12-01, 2022-12-31)'",
    rows: [['[2022-12-01, 2022-12-31)']],
  },
  {
    name: 'RANGE takes bounds; NULL is none',
    sql: "SELECT RANGE(DATE '2022-12-01', DATE '2022-12-31'), RANGE(DATE '2022-12-01', NULL), RANGE(NULL, DATE '2022-12-31')",
    rows: [['[2022-12-01, 2022-12-31)', '[2022-12-01, UNBOUNDED)', '[UNBOUNDED, 2022-12-31)']],
  },
  {
    name: 'RANGE_START and RANGE_END give the bounds, NULL where there is none',
    sql: "SELECT RANGE_START(r), RANGE_END(r) FROM (SELECT RANGE<DATE> '[2022-12-01, UNBOUNDED)' AS r)",
    rows: [['2022-12-01', null]],
  },
  {
    name: 'RANGE_CONTAINS finds values and ranges, without the end',
    sql: `SELECT RANGE_CONTAINS(r, DATE '2022-12-01'), RANGE_CONTAINS(r, DATE '2022-12-31'), RANGE_CONTAINS(r, RANGE<DATE> '[2022-12-05, 2022-12-31)'),
      RANGE_CONTAINS(r, RANGE<DATE> '[2022-11-05, 2022-12-10)') FROM (SELECT RANGE<DATE> '[2022-12-01, 2022-12-31)' AS r)`,
    rows: [['true', 'false', 'true', 'false']],
  },
  {
    name: 'RANGE_OVERLAPS is false for ranges that only touch',
    sql: `SELECT RANGE_OVERLAPS(RANGE<DATE> '[2022-12-01, 2022-12-10)', RANGE<DATE> '[2022-12-09, 2022-12-20)'),
      RANGE_OVERLAPS(RANGE<DATE> '[2022-12-01, 2022-12-10)', RANGE<DATE> '[2022-12-10, 2022-12-20)')`,
    rows: [['true', 'false']],
  },
  {
    name: 'RANGE_INTERSECT gives the common part',
    sql: "SELECT RANGE_INTERSECT(RANGE<DATE> '[2022-02-01, 2022-09-01)', RANGE<DATE> '[2021-06-15, 2022-04-15)')",
    rows: [['[2022-02-01, 2022-04-15)']],
  },
  {
    name: 'GENERATE_RANGE_ARRAY splits a range; the last part may be shorter',
    sql: `SELECT GENERATE_RANGE_ARRAY(RANGE<DATE> '[2020-01-01, 2020-01-06)', INTERVAL 2 DAY),
      GENERATE_RANGE_ARRAY(RANGE<DATE> '[2020-01-01, 2020-01-06)', INTERVAL 2 DAY, FALSE)`,
    rows: [
      [
        ['[2020-01-01, 2020-01-03)', '[2020-01-03, 2020-01-05)', '[2020-01-05, 2020-01-06)'],
        ['[2020-01-01, 2020-01-03)', '[2020-01-03, 2020-01-05)'],
      ],
    ],
  },
  {
    name: 'ranges of DATETIME',
    sql: "SELECT RANGE<DATETIME> '[2022-10-01 14:53:27, UNBOUNDED)' = RANGE(DATETIME '2022-10-01 14:53:27', NULL), RANGE_START(RANGE<DATETIME> '[2022-10-01 14:53:27, 2022-10-01 16:00:00)')",
    rows: [['true', '2022-10-01T14:53:27']],
  },
  {
    name: 'ranges of TIMESTAMP',
    sql: "SELECT RANGE_END(RANGE<TIMESTAMP> '[2022-10-01 14:53:27 America/Los_Angeles, 2022-10-01 16:00:00 America/Los_Angeles)')",
    rows: [['2022-10-01T23:00:00Z']],
  },
  {
    name: 'RANGE_SESSIONIZE joins ranges that meet or overlap',
    pending: 'the engine has no table functions',
    sql: `SELECT session_range FROM RANGE_SESSIONIZE((SELECT * FROM UNNEST([STRUCT(1 AS id, RANGE<DATE> '[2022-01-01, 2022-01-03)' AS r),
      (1, RANGE<DATE> '[2022-01-03, 2022-01-05)'), (1, RANGE<DATE> '[2022-02-01, 2022-02-03)')])), 'r', ['id']) GROUP BY session_range ORDER BY RANGE_START(session_range)`,
    rows: [['[2022-01-01, 2022-01-05)'], ['[2022-02-01, 2022-02-03)']],
  },
];
