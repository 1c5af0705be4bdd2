// Tests of the messages that are made of the engine's.
import { GoogleSqlError } from '../../../../scripts/local-bigquery/engine/error.ts';
import { casesBeside, expectLast } from '../../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

it.each(cases('errors'))(
  'error %s',
  expectLast((code: number, details: string) => {
    const { kind, message, line, column } = GoogleSqlError.from({ code, details });
    return [kind, message, ...(line === undefined ? [] : [line, column])];
  }),
);
