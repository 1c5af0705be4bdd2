// Finds and checks free TCP ports.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { errorCode } from '../../functions/core/describe-error.ts';

/** How listening on ::1 fails on a machine without IPv6. */
export const NO_IPV6: unknown[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/** How long no other caller gets a port, so that its program can start to listen. */
const RESERVED_MS = 5000;

/**
 * A loopback port without a listener, below the ports that systems give to connections, one of which could
 * take it first. Two GoogleSQL engines could listen on one port, so each port that is given out is reserved: by
 * a listener on the next one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 2 * randomInt(10_000, 16_384);
    const fault =
      (await faultOf(port + 1, '127.0.0.1', RESERVED_MS)) ?? (await faultOf(port, '127.0.0.1'));
    if (fault === undefined) return port;
    // Taken, or reserved by the system.
    if (!['EADDRINUSE', 'EACCES'].includes(String(errorCode(fault)))) throw fault;
  }
}

/** Throws an error that names the setting if the port is taken or is not a valid port. */
export async function requireFreePort(text: string, setting: string): Promise<number> {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`${setting} must be a port from 1 to 65535, not ${text}.`);
  }
  for (const host of ['127.0.0.1', '::1']) {
    const cause = await faultOf(port, host);
    const code = errorCode(cause);
    if (cause === undefined || (host === '::1' && NO_IPV6.includes(code))) continue;
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${String(code)})`;
    throw new Error(`Port ${port} ${reason}; set ${setting} to another one.`, { cause });
  }
  return port;
}

/** Why nothing can listen there; undefined if something can. Then `heldMs` is how long nothing else can. */
async function faultOf(port: number, host: string, heldMs = 0): Promise<Error | undefined> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    return error as Error;
  }
  if (heldMs > 0) {
    server.unref();
    setTimeout(() => server.close(), heldMs).unref();
    return undefined;
  }
  server.close();
  await once(server, 'close');
  return undefined;
}
