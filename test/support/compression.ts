// Whether rows are being compressed in this process: by other threads, so in real time, also where the clock stands still.
import type { Transform } from 'node:stream';
import { createGzip } from 'node:zlib';

type Step = Parameters<Transform['_transform']>;

let running = 0;

export const isCompressing = (): boolean => running > 0;

const stream = Object.getPrototypeOf(createGzip()) as Transform;
const { _transform: compress } = stream as { _transform: (this: Transform, ...of: Step) => void };
stream._transform = function (chunk, encoding, done) {
  running += 1;
  compress.call(this, chunk, encoding, (...outcome) => {
    running -= 1;
    done(...outcome);
  });
};
