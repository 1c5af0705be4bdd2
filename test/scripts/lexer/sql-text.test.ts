// Tests of finding parameters, routines and tables in a query: code counts, comments and strings do not.
import {
  calledFunctions,
  parametersOf,
  tablePaths,
  withoutLayout,
} from '../../../scripts/lexer/sql-text.ts';
import { casesBeside, runTable } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);
const named = (of: (sql: string) => { name: string }[]) => (sql: string) =>
  of(sql).map(({ name }) => name);

runTable('parameters', cases('parameters'), named(parametersOf));
runTable('functions', cases('functions'), named(calledFunctions));
runTable('table paths', cases('table paths'), (sql: string) =>
  tablePaths(sql).map(({ parts }) => parts.join('|')),
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
