// The checksum at the end of an API key: a mistyped or truncated key is refused without a look-up.
import { sha256Hex } from '../core/bytes.ts';

const CHECKSUM_LENGTH = 6;
/** `sqk_`, 256 bits in base64url and the checksum; keys of other shapes have no checksum. */
const KEY_WITH_CHECKSUM = /^sqk_[\w-]{49}$/;

/** Appends the checksum: the first 6 hexadecimal digits of the SHA-256 of the text before it. */
export function withChecksum(key: string): string {
  return key + sha256Hex(key).slice(0, CHECKSUM_LENGTH);
}

export function hasWrongChecksum(key: string): boolean {
  return KEY_WITH_CHECKSUM.test(key) && withChecksum(key.slice(0, -CHECKSUM_LENGTH)) !== key;
}
