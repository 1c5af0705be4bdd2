// Copies bytes into a buffer of their own, for keeping.

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
