// Tells whether values of a column may be added up: only of what is known to have a sum, because a wrong one misleads.
import type { ChartColumn } from './chart-plan.ts';

const TYPES = new Set(['INT64', 'NUMERIC', 'BIGNUMERIC']);
/** Statistics, shares, measured quantities, and what only names something. */
const WITHOUT_SUM =
  /^(?:min|max|avg|average|mean|median|stddev|p\d+|percentile|rate|ratio|share|percent|pct|temp|temperature|humidity|pressure|voltage|latency|duration|delay|time|age|speed|lat|latitude|lon|longitude|score|rating|rank|ranking|place|position|ordinal|level|price|balance|id|code|status|year|version)$/;
const COUNTED =
  /^(?:n|count|cnt|num|number|total|sum|quantity|qty|amount|volume|revenue|sales|cost|profit|spend)$/;
/** Requests, rows, items; not status, axis, class. */
const THINGS = /^[a-z]{2,}[^aisu]s$/;
const MEASURES =
  /(?:second|minute|hour|day|week|month|year|degree|kelvin|volt|amp|ampere|watt|meter|metre|mile|knot|gram|bit|point|bar|pascal|percent|star|inche|decibel|lumen|pound)s$/;
const BYTES = /^(?:[€$£]|(?:[kKMGTPE]i?)?B)$/;

/** What has an order or only a name, and no amount: `place`, `overall_rank`, `customer_id`, `row_number`. */
const ORDINAL =
  /(?:^|_)(?:rank|ranking|place|position|pos|ordinal|row_num(?:ber)?|rownum|rn|nth|index|idx|id|code|version|zip|postcode|n?tile|quartile|quintile|decile)$/;
/** Parts of a date, alone: `sales_this_year` are sales. */
const DATE_PART =
  /^(?:(?:iso|fiscal)_?)?(?:year|quarter|month|week|weekday|day|hour|(?:day|week)_?of_?(?:week|month|year))$/;

export function mayAddUp({ name, type, unit }: ChartColumn): boolean {
  const words = wordsOf(name);
  if (!TYPES.has(type) || !mayBeCount(name)) return false;
  if (unit === undefined) return words.some((word) => COUNTED.test(word) || isThings(word));
  return isThings(unit) || BYTES.test(unit) || Intl.supportedValuesOf('currency').includes(unit);
}

/** Whether the name at least does not say that something else is meant. */
export function mayBeCount(name: string): boolean {
  return !wordsOf(name).some((word) => WITHOUT_SUM.test(word));
}

export function isOrdinal({ name, type, unit }: ChartColumn): boolean {
  const text = wordsOf(name).join('_');
  return type === 'INT64' && unit === undefined && (ORDINAL.test(text) || DATE_PART.test(text));
}

function wordsOf(name: string): string[] {
  return name.split(/_|(?<=[a-z\d])(?=[A-Z])/).map((word) => word.toLowerCase());
}

function isThings(word: string): boolean {
  return THINGS.test(word) && !MEASURES.test(word);
}
