// Whether rows are being compressed in this process: by other threads, so in real time, also where the clock stands still.
import type { Transform } from 'node:stream';
import { createGzip } from 'node:zlib';

let running = 0;

export const isCompressing = (): boolean => running > 0;

const gzip = Object.getPrototypeOf(createGzip()) as Transform;
const compress = gzip._transform;
gzip._transform = function (chunk, encoding, done) {
  running += 1;
  compress.call(this, chunk, encoding, (...outcome) => {
    running -= 1;
    done(...outcome);
  });
};
