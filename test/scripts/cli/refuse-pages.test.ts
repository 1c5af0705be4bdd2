// Tests which requests the local service takes for those of pages of other sites.
import { refusalOf } from '../../../scripts/cli/refuse-pages.ts';
import { casesBeside, expectLast } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

/** Of a host, an origin where there is one, and the origins that are allowed. */
type Given = [host: string | null, origin?: string | null, allowed?: string[]];
const refusal = (...[host, origin, allowed]: Given) =>
  refusalOf({ host: host ?? undefined, origin: origin ?? undefined }, allowed);

it.each(cases('reasons'))(
  'reason %s',
  expectLast((...given: Given) => refusal(...given)?.reason),
);
it.each(cases('messages'))(
  'message %s',
  expectLast((...given: Given) => refusal(...given)?.message),
);
