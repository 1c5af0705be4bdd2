// Tests of the messages that are made of the engine's.
import { status } from '@grpc/grpc-js';
import { GoogleSqlError } from '../../../../scripts/local-bigquery/engine/error.ts';

it.each<[string, number, string, object]>([
  [
    'the cause, where the first line ends with a colon',
    status.INVALID_ARGUMENT,
    'Analysis of function Templated_SQL_Function:f failed:\n\nNo matching signature [at 2:3]\n  UPPER(1)\n  ^',
    {
      kind: 'invalid',
      message: 'Analysis of function f failed: No matching signature at [2:3]',
      line: 2,
      column: 3,
    },
  ],
  [
    'a function that the engine lacks',
    status.UNIMPLEMENTED,
    'Unsupported built-in function: st_geogpoint',
    { kind: 'unsupported', message: 'the function ST_GEOGPOINT is not supported locally' },
  ],
  [
    'a function that is not part of the program',
    status.UNIMPLEMENTED,
    'Generate_Uuid is an optional function implementation which is not present in this binary',
    { kind: 'unsupported', message: 'the function GENERATE_UUID is not supported locally' },
  ],
  [
    'what is not implemented',
    status.UNIMPLEMENTED,
    'Embedded WITH clauses are not implemented.',
    { kind: 'unsupported', message: 'Embedded WITH clauses are not implemented' },
  ],
  [
    'a failed assertion',
    status.INTERNAL,
    'ZETASQL_RET_CHECK failure (value.cc:1) is_valid',
    {
      kind: 'unsupported',
      message: 'the local engine fails on it: ZETASQL_RET_CHECK failure (value.cc:1) is_valid',
    },
  ],
])('an error message states %s', (_, code, details, error) => {
  expect(GoogleSqlError.from(Object.assign(new Error('rpc'), { code, details }))).toMatchObject(
    error,
  );
});
