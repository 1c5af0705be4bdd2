// RANGE values: half open, with or without bounds.
import type { RowsCases } from './case.ts';

export const ranges: RowsCases = {
  'a literal has a closed start and an open end': [
    "SELECT RANGE<DATE> '[2022-12-01, 2022-12-31)'",
    ['[2022-12-01, 2022-12-31)'],
  ],
  'RANGE takes bounds; NULL is none': [
    "SELECT RANGE(DATE '2022-12-01', DATE '2022-12-31'), RANGE(DATE '2022-12-01', NULL), RANGE(NULL, DATE '2022-12-31')",
    ['[2022-12-01, 2022-12-31)', '[2022-12-01, UNBOUNDED)', '[UNBOUNDED, 2022-12-31)'],
  ],
  'RANGE_START and RANGE_END give the bounds, NULL where there is none': [
    "SELECT RANGE_START(r), RANGE_END(r) FROM (SELECT RANGE<DATE> '[2022-12-01, UNBOUNDED)' AS r)",
    ['2022-12-01', null],
  ],
  'RANGE_CONTAINS finds values and ranges, without the end': [
    `SELECT RANGE_CONTAINS(r, DATE '2022-12-01'), RANGE_CONTAINS(r, DATE '2022-12-31'), RANGE_CONTAINS(r, RANGE<DATE> '[2022-12-05, 2022-12-31)'),
      RANGE_CONTAINS(r, RANGE<DATE> '[2022-11-05, 2022-12-10)') FROM (SELECT RANGE<DATE> '[2022-12-01, 2022-12-31)' AS r)`,
    ['true', 'false', 'true', 'false'],
  ],
  'RANGE_OVERLAPS is false for ranges that only touch': [
    `SELECT RANGE_OVERLAPS(RANGE<DATE> '[2022-12-01, 2022-12-10)', RANGE<DATE> '[2022-12-09, 2022-12-20)'),
      RANGE_OVERLAPS(RANGE<DATE> '[2022-12-01, 2022-12-10)', RANGE<DATE> '[2022-12-10, 2022-12-20)')`,
    ['true', 'false'],
  ],
  'RANGE_INTERSECT gives the common part': [
    "SELECT RANGE_INTERSECT(RANGE<DATE> '[2022-02-01, 2022-09-01)', RANGE<DATE> '[2021-06-15, 2022-04-15)')",
    ['[2022-02-01, 2022-04-15)'],
  ],
  'GENERATE_RANGE_ARRAY splits a range; the last part may be shorter': [
    `SELECT GENERATE_RANGE_ARRAY(RANGE<DATE> '[2020-01-01, 2020-01-06)', INTERVAL 2 DAY),
      GENERATE_RANGE_ARRAY(RANGE<DATE> '[2020-01-01, 2020-01-06)', INTERVAL 2 DAY, FALSE)`,
    [
      ['[2020-01-01, 2020-01-03)', '[2020-01-03, 2020-01-05)', '[2020-01-05, 2020-01-06)'],
      ['[2020-01-01, 2020-01-03)', '[2020-01-03, 2020-01-05)'],
    ],
  ],
  'ranges of DATETIME': [
    "SELECT RANGE<DATETIME> '[2022-10-01 14:53:27, UNBOUNDED)' = RANGE(DATETIME '2022-10-01 14:53:27', NULL), RANGE_START(RANGE<DATETIME> '[2022-10-01 14:53:27, 2022-10-01 16:00:00)')",
    ['true', '2022-10-01T14:53:27'],
  ],
  'ranges of TIMESTAMP': [
    "SELECT RANGE_END(RANGE<TIMESTAMP> '[2022-10-01 14:53:27 America/Los_Angeles, 2022-10-01 16:00:00 America/Los_Angeles)')",
    ['2022-10-01T23:00:00Z'],
  ],
};
