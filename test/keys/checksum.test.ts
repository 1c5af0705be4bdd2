// Tests of the checksum of keys: which keys are refused as mistyped without a look-up.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { hasWrongChecksum, withChecksum } from '../../functions/keys/access.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const BODY = `sqk_${'A'.repeat(43)}`;
const KEY = 'sqk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAb6ed27';

it('is the first 6 hexadecimal digits of the SHA-256 of the preceding characters', () => {
  expect(withChecksum(BODY)).toBe(KEY);
  fc.assert(
    fc.property(fc.base64String(), (body) => {
      const digest = createHash('sha256').update(body).digest('hex');
      expect(withChecksum(body)).toBe(body + digest.slice(0, 6));
    }),
  );
});

it.each(cases<[string, string, boolean]>('keys'))(
  'for %s: %s is wrong: %s',
  (_name, key, expected) => {
    expect(hasWrongChecksum(key)).toBe(expected);
  },
);
