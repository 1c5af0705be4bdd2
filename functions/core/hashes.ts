// Makes the SHA-256 of a text in hexadecimal, and the ETag of a body.
import { type Hash, hash } from 'node:crypto';

/** SHA-256 in hexadecimal. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The ETag of a body without quotes: 22 characters, the same for the same body. */
export function contentTag(body: Buffer): string {
  return tagOf(hash('sha256', body, 'base64url'));
}

/** The same tag for a body that was hashed part by part, with SHA-256. */
export function contentTagOfParts(sha256: Hash): string {
  return tagOf(sha256.digest('base64url'));
}

function tagOf(digest: string): string {
  return digest.slice(0, 22);
}
