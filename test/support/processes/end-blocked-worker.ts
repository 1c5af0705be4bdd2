// A thread that ends its process once the main thread has been blocked for too long, so that an endless loop fails.
import { writeSync } from 'node:fs';
import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';

/** Slower than any step of a test on a machine with other work, and faster than a person loses patience. */
const BLOCKED_SECONDS_MAX = 120;

const beats = new Int32Array(workerData as SharedArrayBuffer);
const never = new Int32Array(new SharedArrayBuffer(4));
/** The test file that runs; Jest does not say which file it was when its process ends. */
let file = '';
// Seconds of this thread, not of a clock: a machine that slept was not blocked.
for (let blockedSeconds = 0; blockedSeconds < BLOCKED_SECONDS_MAX; blockedSeconds += 1) {
  Atomics.wait(never, 0, 0, 1000);
  for (let sent = nextFile(); sent !== undefined; sent = nextFile()) file = sent;
  if (Atomics.exchange(beats, 0, 0) > 0) blockedSeconds = 0;
}
writeSync(2, `\n${file} has blocked its process for ${BLOCKED_SECONDS_MAX} s: it is ended.\n`);
process.kill(process.pid, 'SIGKILL');

function nextFile(): string | undefined {
  return receiveMessageOnPort(parentPort as MessagePort)?.message as string | undefined;
}
