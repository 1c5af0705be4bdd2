// Checks that TCP ports are free.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { errorCode } from '../../functions/core/errors.ts';

/** How listening on ::1 fails on a machine without IPv6. */
export const NO_IPV6: unknown[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

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

/** Why nothing can listen there; undefined if something can. */
async function faultOf(port: number, host: string): Promise<Error | undefined> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    return error as Error;
  }
  await once(server.close(), 'close');
  return undefined;
}
