// The zone in which a query counts days: only what is written out, and only if it is one.
import { queryZone } from '../../../scripts/compile/query-zone.ts';
import { casesBeside, expectLast } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

it.each(cases('zones'))(
  'zone %s',
  expectLast((where) => queryZone(`SELECT * FROM t WHERE ${String(where)}`)),
);
