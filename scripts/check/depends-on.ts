// Finds out what the result of a query depends on except its parameters: only its tables, slow clocks, or more.
import { basename } from 'node:path';
import type { Dependencies, SlowClock } from '../../functions/endpoints/endpoint.ts';
import type { InspectedQuery } from '../compile/inspect-endpoint.ts';
import { isTimeZone, zoneOf } from '../compile/query-zone.ts';
import { inFile } from '../compile/routines.ts';
import type { CatalogueFault, DefinitionFault } from '../faults/definition-fault.ts';
import { callArguments } from '../lexer/brackets.ts';
import { tablePaths } from '../lexer/sql-text.ts';
import { isSymbol, isWord, tokens, type Tokens } from '../lexer/sql-tokens.ts';
import { GoogleSqlError, queriedTable } from '../local-bigquery/index.ts';
import { type AnalysedQueries, type AnalysedQuery, hasAnyType } from './analysed-query.ts';
import FUNCTIONS from './pure-functions.json' with { type: 'json' };

/** Why a query has to run again although its tables are unchanged; the place is that of the expression. */
export class DependsOnMore extends Error {
  readonly fault: CatalogueFault;

  constructor(place: DefinitionFault & { offset?: number }) {
    super(place.message);
    this.fault = place;
  }
}

/** Functions whose value their arguments alone decide. All others, known or not, make a query run in each run. */
export const PURE = new Set(FUNCTIONS.pure);
const CLOCKS = new Set(['CURRENT_DATE', 'CURRENT_DATETIME', 'CURRENT_TIME', 'CURRENT_TIMESTAMP']);
const DAYS = /^(?:DAY|WEEK|ISOWEEK|MONTH|QUARTER|YEAR|ISOYEAR)$/i;

/** The dependencies of `query.sql` and `warm.sql` together, since either may compute a result. Throws `DependsOnMore`. */
export function dependsOn(queries: readonly InspectedQuery[], all: AnalysedQueries): Dependencies {
  const clocks = new Map<string, SlowClock>();
  const sources = new Map<string, Dependencies['sources'][number]>();
  for (const query of queries) {
    const analysed = all.get(basename(query.file));
    if (analysed === undefined) continue;
    if (analysed instanceof GoogleSqlError) {
      throw new DependsOnMore({ file: query.file, message: analysed.message });
    }
    for (const { source } of namedIn(query.sql, analysed)) {
      const queried = queriedTable(source);
      sources.set(JSON.stringify(queried), queried);
    }
    for (const clock of clocksOf(query, analysed)) {
      clocks.set(`${clock.unit} ${clock.timeZone}`, clock);
    }
  }
  const [first] = queries;
  if (sources.size === 0) {
    throw new DependsOnMore({ file: first?.file ?? '', message: 'it reads no table' });
  }
  return { sources: [...sources.values()], clocks: [...clocks.values()] };
}

/** The tables that are read, in the bodies of functions too, and all whose names are in the text. */
export function namedIn(sql: string, { references, find }: AnalysedQuery) {
  const named = tablePaths(sql).flatMap(({ parts }) =>
    parts.flatMap((_, from) =>
      parts.slice(from).flatMap((__, at) => find(parts.slice(from, from + at + 1).join('.')) ?? []),
    ),
  );
  return [...references.map(({ table }) => table), ...named];
}

/** The slow clocks of a query that depends on nothing else but its tables. */
function clocksOf(query: InspectedQuery, analysed: AnalysedQuery): SlowClock[] {
  const all = tokens(query.sql);
  const more = (name: string, offset = 0): DependsOnMore =>
    new DependsOnMore({ ...inFile(query, offset), message: name });
  const { uses, functions } = analysed.analysis;
  const own = new Set(functions.map(({ name }) => name.toLowerCase()));
  const clocks = uses.flatMap(({ kind, name, offset }) => {
    const clock = name.toUpperCase();
    const index = CLOCKS.has(clock) ? all.findIndex(({ start }) => start === offset) : -1;
    const slow = index < 0 ? undefined : slowClock(all, index, clock);
    if (slow && isTimeZone(slow.timeZone)) return [slow];
    if ((kind !== 'other' && PURE.has(name)) || (kind === 'own' && own.has(name))) return [];
    throw more(clock, offset);
  });
  if (hasAnyType(analysed.analysis)) throw more('a function with an argument of ANY TYPE');
  return clocks;
}

/** Undefined for a clock that ticks more than once an hour, and for one in a zone that is not written out. */
function slowClock(all: Tokens, index: number, name: string): SlowClock | undefined {
  const call = isSymbol(all[index + 1], '(') ? callArguments(all, index + 1) : undefined;
  const own = zoneOf(call?.list[0]);
  if (name === 'CURRENT_DATE') return day(own);
  const around = all[index - 2];
  const outer = isSymbol(all[index - 1], '(') ? callArguments(all, index - 1) : undefined;
  const [cut, unit, zone] = outer?.list ?? [];
  // Only the current time itself is truncated.
  if (cut?.at(-1) !== all[call?.close ?? index]) {
    const isCast = isWord(around, 'CAST') && cut?.at(-1)?.text.toUpperCase() === 'DATE';
    const isAlone = cut?.length === (call?.close ?? index) - index + 3;
    return isCast && isAlone ? day(own) : undefined;
  }
  const isTimestamp = name === 'CURRENT_TIMESTAMP';
  if (name === 'CURRENT_TIME') return undefined;
  if (isWord(around, 'DATE')) {
    return day(isTimestamp ? zoneOf(unit) : own);
  }
  if (!isWord(around, isTimestamp ? 'TIMESTAMP_TRUNC' : 'DATETIME_TRUNC')) return undefined;
  const timeZone = isTimestamp ? zoneOf(zone) : own;
  const text = unit?.[0]?.text ?? '';
  const slow = text.toUpperCase() === 'HOUR' ? 'HOUR' : DAYS.test(text) ? 'DAY' : undefined;
  return timeZone && slow ? { unit: slow, timeZone } : undefined;
}

function day(timeZone: string | undefined): SlowClock | undefined {
  return timeZone === undefined ? undefined : { unit: 'DAY', timeZone };
}
