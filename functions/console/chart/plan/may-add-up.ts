// Tells whether values of a column may be added up: only of what is known to have a sum, because a wrong one misleads.
import type { ChartColumn } from './chart-plan.ts';

const TYPES = new Set(['INT64', 'NUMERIC', 'BIGNUMERIC']);
/** Statistics, shares, and measured quantities. */
const WITHOUT_SUM =
  /(?:^|_)(?:min|max|avg|average|mean|median|stddev|p\d+|percentile|rate|ratio|share|percent|pct|temp|temperature|humidity|pressure|voltage|latency|duration|time|age|speed|lat|latitude|lon|longitude|score|rating|rank|level|price|balance)(?:_|$)/i;
/** Money, and bytes. */
const AMOUNT = /^(?:[A-Z]{3}|[€$£]|(?:[kKMGTPE]i?)?B)$/;
/** Requests, rows, items. */
const THINGS = /^[a-z]{3,}s$/;
const MEASURES =
  /(?:second|minute|hour|day|week|month|year|degree|celsiu|kelvin|volt|amp|ampere|watt|meter|metre|mile|knot|gram|bit|point|bar|pascal)s$/;

export function mayAddUp({ name, type, unit }: ChartColumn): boolean {
  if (!TYPES.has(type) || WITHOUT_SUM.test(name)) return false;
  return unit === undefined || AMOUNT.test(unit) || (THINGS.test(unit) && !MEASURES.test(unit));
}
