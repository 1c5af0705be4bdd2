// Tests of near names: which unknown names count as a misspelt parameter, and which do not.
import { nearName } from '../../functions/endpoints/near-name.ts';

it.each([
  ['a letter left out', 'truk', 'truck'],
  ['a letter added', 'trucck', 'truck'],
  ['another letter', 'trick', 'truck'],
  ['two errors in a long name', 'funtion_jd', 'function_id'],
  ['letter case of one letter', 'N', 'n'],
  ['- for _', 'function-id', 'function_id'],
  ['camel case', 'functionId', 'function_id'],
  ['_ before it', '_project', 'project'],
  ['a space after it', 'project ', 'project'],
  ['a plural of two letters', 'ids', 'id'],
  ['a singular', 'id', 'ids'],
  ['the numbered list of qs', 'ids[0]', 'ids'],
])('%s is near', (_name, given, known) => {
  expect(nearName(given, ['other', known])).toBe(known);
});

it.each([
  ['another letter', 'a', 'b'],
  ['another word of three letters', 'day', 'way'],
  ['two errors in a short name', 'product', 'project'],
  ['a name with more words', 'project_id', 'project'],
  ['a tag of campaigns', 'utm_source', 'source'],
  ['what prevents caching', '_', 'n'],
  ['what prevents caching, with a letter', '_t', 't'],
  ['a time', 'iso_timestamp_start', 'interval'],
  ['nothing', '', 'n'],
  ['a long name', `project${'-'.repeat(80)}`, 'project'],
  ['a list with text', 'ids[secret]', 'ids'],
])('%s is not near', (_name, given, known) => {
  expect(nearName(given, [known])).toBeUndefined();
});

it('the name with the fewest errors is found', () => {
  expect(nearName('intervals', ['internal', 'interval'])).toBe('interval');
  expect(nearName('internalx', ['interval', 'internal'])).toBe('internal');
});
