// Tests of the messages that are made of the engine's.
import { status } from '@grpc/grpc-js';
import { GoogleSqlError } from '../../../../scripts/local-bigquery/engine/error.ts';

it('an error message states the cause, where the first line ends with a colon', () => {
  const code = status.INVALID_ARGUMENT;
  const details =
    'Analysis of function Templated_SQL_Function:f failed:\n\nNo matching signature [at 2:3]\n  UPPER(1)\n  ^';
  const message = 'Analysis of function f failed: No matching signature at [2:3]';
  const error = { kind: 'invalid', message, line: 2, column: 3 };
  expect(GoogleSqlError.from({ code, details })).toMatchObject(error);
});

it.each([
  [
    status.UNIMPLEMENTED,
    'Generate_Uuid is an optional function implementation which is not present in this binary',
    'the function GENERATE_UUID is not supported locally',
  ],
  [
    status.UNIMPLEMENTED,
    'Embedded WITH clauses are not implemented.',
    'Embedded WITH clauses are not implemented',
  ],
  [
    status.INTERNAL,
    'ZETASQL_RET_CHECK failure (value.cc:1) is_valid',
    'the local engine fails on it: ZETASQL_RET_CHECK failure (value.cc:1) is_valid',
  ],
])('an error %i states what cannot be done: %s', (code, details, message) => {
  expect(GoogleSqlError.from({ code, details })).toMatchObject({ kind: 'unsupported', message });
});
