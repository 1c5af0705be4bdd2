// Tests of finding parameters, routines and tables in a query: code counts, comments and strings do not.
import {
  calledFunctions,
  parametersOf,
  tablePaths,
  withoutLayout,
} from '../../../scripts/lexer/sql-text.ts';
import { casesBeside, expectLast } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);
const named = (of: (sql: string) => { name: string }[]) => (sql: string) =>
  of(sql).map(({ name }) => name);

it.each(cases('parameters'))('parameters %s', expectLast(named(parametersOf)));
it.each(cases('functions'))('functions %s', expectLast(named(calledFunctions)));
it.each(cases('table paths'))(
  'table paths %s',
  expectLast((sql: string) => tablePaths(sql).map(({ parts }) => parts.join('|'))),
);

it('a table path has its position', () => {
  const sql = "SELECT 'é', x FROM `a`.b";
  const { start = 0, end = 0 } = tablePaths(sql).at(-1) ?? {};
  expect(sql.slice(start, end)).toBe('`a`.b');
});

it.each(cases<[string, string]>('two meanings'))('%j without layout is not %j', (one, other) => {
  expect(withoutLayout(one)).not.toEqual(withoutLayout(other));
});

it.each(cases<[string, string]>('one meaning'))('%j without layout is %j', (one, other) => {
  expect(withoutLayout(one)).toEqual(withoutLayout(other));
});
