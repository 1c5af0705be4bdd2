// The zone in which a query counts days: only what is written out, and only if it is one.
import { queryZone } from '../../../scripts/compile/query-zone.ts';
import { casesBeside, runTable } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

runTable('zone', cases('zones'), (where) => queryZone(`SELECT * FROM t WHERE ${String(where)}`));
