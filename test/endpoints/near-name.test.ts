// Tests of near names: which unknown names count as a misspelt parameter, and which do not.
import { nearName } from '../../functions/endpoints/near-name.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

it.each(cases<[string, string, string]>('near'))('%s is near', (_name, given, known) => {
  expect(nearName(given, ['other', known])).toBe(known);
});

it.each(cases<[string, string, string]>('not near'))('%s is not near', (_name, given, known) => {
  expect(nearName(given, [known])).toBeUndefined();
});

it('the name with the fewest errors is found', () => {
  expect(nearName('intervals', ['internal', 'interval'])).toBe('interval');
  expect(nearName('internalx', ['interval', 'internal'])).toBe('internal');
});
