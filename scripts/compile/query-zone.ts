// Finds the time zone in which a query counts days: the one that all its functions of days take, if it is written out.
import { callArguments } from '../lexer/brackets.ts';
import { type Tokens, isName, isSymbol, isWord, nameOf, tokens } from '../lexer/sql-tokens.ts';

const CLOCKS = /^CURRENT_(?:DATE|DATETIME|TIME)$/;
const CLOCK_OF_INSTANTS = 'CURRENT_TIMESTAMP';
/** Where functions of the present or of instants take a zone. */
const PLACES: Record<string, number> = {
  ...{ CURRENT_DATE: 0, CURRENT_DATETIME: 0, CURRENT_TIME: 0, DATE: 1, DATETIME: 1, TIME: 1 },
  ...{ TIMESTAMP: 1, STRING: 1, TIMESTAMP_TRUNC: 2, FORMAT_TIMESTAMP: 2, PARSE_TIMESTAMP: 2 },
};
const SHORT = /^(?:MICROSECOND|MILLISECOND|SECOND|MINUTE|HOUR)$/i;

/** An IANA name; undefined if the query names several zones, computes one, or does not say in which zone it counts. */
export function queryZone(sql: string): string | undefined {
  const all = tokens(sql);
  // Undefined among them is a zone that is not known.
  const zones = new Set<string | undefined>();
  for (const [index, token] of all.entries()) {
    if (isWord(token, 'ZONE') && isWord(all[index - 1], 'TIME') && isWord(all[index - 2], 'AT'))
      zones.add(zoneOf(all.slice(index + 1, index + 2)));
    if (!isName(token) || isSymbol(all[index - 1], '.')) continue;
    const name = nameOf(token).toUpperCase();
    const call = isSymbol(all[index + 1], '(') ? callArguments(all, index + 1)?.list : undefined;
    if (call === undefined) {
      if (CLOCKS.test(name)) zones.add('UTC');
      continue;
    }
    if (name === 'CAST' && /^(?:DATE|DATETIME|TIME)$/i.test(call[0]?.at(-1)?.text ?? ''))
      zones.add(implied(call[0]));
    const place = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined;
    // DATE(2026, 11, 20) and its like name no instant.
    if (place === undefined || call.length > Math.max(place + 1, 2)) continue;
    if (call[place] !== undefined || CLOCKS.test(name)) zones.add(zoneOf(call[place]));
    else if (name === 'TIMESTAMP_TRUNC') {
      if (!SHORT.test(call[1]?.[0]?.text ?? '')) zones.add('UTC');
    } else if (/^(?:DATE|DATETIME|TIME)$/.test(name)) zones.add(implied(call[0]));
  }
  for (const one of zones) if (one === '') zones.delete(one);
  const [zone] = zones;
  return zones.size === 1 && zone !== undefined && isTimeZone(zone) ? zone : undefined;
}

/** Of a date from one value: UTC for an instant, none ('') for what names a zone itself or is a text; else not known. */
function implied(value: Tokens = []): string | undefined {
  const words = value.map((token) => nameOf(token).toUpperCase());
  if (words.includes(CLOCK_OF_INSTANTS)) return 'UTC';
  const isText = value[0]?.kind === 'string';
  return isText || words.some((word) => CLOCKS.test(word) || word === 'DATETIME') ? '' : undefined;
}

/** UTC without an argument; undefined for one that is not written out. */
export function zoneOf(argument: Tokens | undefined): string | undefined {
  if (argument === undefined || argument.length === 0) return 'UTC';
  const [token] = argument;
  const [, , zone] = /^(['"])([\w+:/-]+)\1$/.exec(token?.text ?? '') ?? [];
  return argument.length === 1 && token?.kind === 'string' ? zone : undefined;
}

/** Whether the functions know the zone too. */
export function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
