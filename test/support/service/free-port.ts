// Finds a free TCP port for a program that a test starts.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { errorCode } from '../../../functions/core/errors.ts';

/** How long no other caller gets a port, so that its program can start to listen. */
const RESERVED_MS = 5000;

/**
 * A loopback port without a listener, below the ports that systems give to connections, one of which could take it first. Tests
 * run in several processes, so each port that is given out is reserved: by a listener on the next one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 2 * randomInt(10_000, 16_384);
    if ((await isFree(port + 1, RESERVED_MS)) && (await isFree(port, 0))) return port;
  }
}

async function isFree(port: number, heldMs: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    // Taken, or reserved by the system.
    if (!['EADDRINUSE', 'EACCES'].includes(String(errorCode(error)))) throw error;
    return false;
  }
  server.unref();
  if (heldMs > 0) setTimeout(() => server.close(), heldMs).unref();
  else await once(server.close(), 'close');
  return true;
}
