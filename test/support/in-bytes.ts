// The body of an answer as it was sent, whatever its type: supertest would read some.
import type { Test } from 'supertest';

/** `body` is a Buffer. */
export function inBytes(test: Test): Test {
  return test.buffer(true).parse((res, done) => {
    const chunks: Buffer[] = [];
    res.on('data', (chunk: Buffer | string) => chunks.push(Buffer.from(chunk as string, 'binary')));
    res.on('end', () => done(null, Buffer.concat(chunks)));
  });
}
