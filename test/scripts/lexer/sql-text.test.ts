// Tests of finding parameters, routines and tables in a query: code counts, comments and strings do not.
import {
  calledFunctions,
  parametersOf,
  tablePaths,
  withoutLayout,
} from '../../../scripts/lexer/sql-text.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);
type Names = [sql: string, names: string[]];

it.each(cases<Names>('parameters'))('the parameters of %j are %j', (sql, expected) => {
  expect(parametersOf(sql).map(({ name }) => name)).toEqual(expected);
});

it.each(cases<Names>('functions'))('the functions of %j are %j', (sql, expected) => {
  expect(calledFunctions(sql).map(({ name }) => name)).toEqual(expected);
});

it.each(cases<Names>('table paths'))('the table paths of %j are %j', (sql, paths) => {
  expect(tablePaths(sql).map(({ parts }) => parts.join('|'))).toEqual(paths);
});

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
