// A thread that ends its process once the main thread has been blocked for too long, so that an endless loop fails.
import { workerData } from 'node:worker_threads';

/** Slower than any step of a test on a machine with other work, and faster than a person loses patience. */
const BLOCKED_SECONDS_MAX = 120;

const beats = new Int32Array(workerData as SharedArrayBuffer);
const never = new Int32Array(new SharedArrayBuffer(4));
// Seconds of this thread, not of a clock: a machine that slept was not blocked.
for (let blockedSeconds = 0; blockedSeconds < BLOCKED_SECONDS_MAX; blockedSeconds += 1) {
  Atomics.wait(never, 0, 0, 1000);
  if (Atomics.exchange(beats, 0, 0) > 0) blockedSeconds = 0;
}
// Vitest reports the file that it was running.
process.kill(process.pid, 'SIGKILL');
