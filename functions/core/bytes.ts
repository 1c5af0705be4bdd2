// Bytes: hashes of them, and buffers that share no memory with others.
import { type Hash, hash } from 'node:crypto';

export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The ETag of a body that was hashed with SHA-256, without quotes: 22 characters, the same for the same body. */
export function contentTag(sha256: Hash): string {
  return sha256.digest('base64url').slice(0, 22);
}

/** A part is often a view into a larger buffer (a message of Firestore, 64 KiB of zlib), which would stay in memory with it. */
export function ownBytes(...parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
