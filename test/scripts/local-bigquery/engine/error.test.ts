// Tests of the messages that are made of the engine's.
import { status } from '@grpc/grpc-js';
import { GoogleSqlError } from '../../../../scripts/local-bigquery/engine/error.ts';
import { casesBeside } from '../../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

it('an error message states the cause, where the first line ends with a colon', () => {
  const code = status.INVALID_ARGUMENT;
  const details =
    'Analysis of function Templated_SQL_Function:f failed:\n\nNo matching signature [at 2:3]\n  UPPER(1)\n  ^';
  const message = 'Analysis of function f failed: No matching signature at [2:3]';
  const error = { kind: 'invalid', message, line: 2, column: 3 };
  expect(GoogleSqlError.from({ code, details })).toMatchObject(error);
});

it.each(cases<[code: number, details: string, message: string]>('not run'))(
  'an error %i states what cannot be done: %s',
  (code, details, message) => {
    expect(GoogleSqlError.from({ code, details })).toMatchObject({ kind: 'unsupported', message });
  },
);
