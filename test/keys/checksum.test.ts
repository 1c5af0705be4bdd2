// Tests of the checksum of keys: which keys are refused as mistyped without a look-up.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { hasWrongChecksum, withChecksum } from '../../functions/keys/checksum.ts';

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

it.each([
  ['a key with its checksum', KEY, false],
  ['two letters that changed places', KEY.replace('k_', '_k'), false],
  ['another letter before it', KEY.replace('Ab6ed27', 'Bb6ed27'), true],
  ['a checksum in upper case', BODY + KEY.slice(-6).toUpperCase(), true],
  ['a key without a checksum', BODY, false],
  ['a key that was cut off', KEY.slice(0, -1), false],
  ['a longer key', `${KEY}0`, false],
  ['another prefix', `key_${KEY.slice(4)}`, false],
  ['other characters', `${KEY.slice(0, -1)}+`, false],
  ['no key', '', false],
])('for %s: %s is wrong: %s', (_name, key, expected) => {
  expect(hasWrongChecksum(key)).toBe(expected);
});
