// Preloaded into a process: refuses each connection and look-up that leaves this machine, and notes it in a file.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { isObject } from '../../../functions/core/json.ts';

/** Names the file, which has one line for each attempt. */
const NOTES = process.env.REFUSED_OUTSIDE ?? '';

const INSIDE = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+|0\.0\.0\.0|::)$/;

type AnyFunction = (...args: unknown[]) => unknown;

/** `targetOf` finds the host in the arguments; undefined if there is none. */
function guard(
  owner: object,
  method: string,
  targetOf: (args: unknown[]) => string | undefined,
): void {
  const methods = owner as Record<string, AnyFunction>;
  const original = methods[method];
  if (original === undefined) return;
  methods[method] = function (this: unknown, ...args) {
    const target = targetOf(args);
    if (target !== undefined && !INSIDE.test(target)) {
      appendFileSync(NOTES, `${method} ${target} by ${process.argv.slice(1).join(' ')}\n`);
      throw Object.assign(new Error(`refused: ${method} ${target}`), {
        code: 'ENETUNREACH',
      });
    }
    return original.apply(this, args);
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Of TCP: a path, options, or a port with a host; `connect` of TLS and HTTP comes here too. */
function hostOf(args: unknown[]): string | undefined {
  const [first, second] = (Array.isArray(args[0]) ? args[0] : args) as unknown[];
  return isObject(first) ? text(first.host) : text(second);
}

guard(net.Socket.prototype, 'connect', hostOf);
guard(dgram.Socket.prototype, 'connect', ([, host]) => text(host));
guard(dgram.Socket.prototype, 'send', ([, ...args]) => args.map(text).find((arg) => arg));
for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const method of Object.getOwnPropertyNames(owner)) {
    if (/^(?:lookup|resolve|reverse)/.test(method)) guard(owner, method, ([name]) => text(name));
  }
}
syncBuiltinESMExports();
