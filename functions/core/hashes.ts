// Computes the SHA-256 of a text in hexadecimal, and the ETag of a body.
import { type Hash, hash } from 'node:crypto';

export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The ETag of a body that was hashed with SHA-256, without quotes: 22 characters, the same for the same body. */
export function contentTag(sha256: Hash): string {
  return sha256.digest('base64url').slice(0, 22);
}
