// The zone in which a query counts days: only what is written out, and only if it is one.
import { queryZone } from '../../../scripts/compile/query-zone.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

it.each(cases<[where: string, zone: string | null]>('zones'))('%s: %s', (where, zone) => {
  expect(queryZone(`SELECT * FROM t WHERE ${where}`)).toBe(zone ?? undefined);
});
