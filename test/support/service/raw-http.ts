// Sends bytes on a socket, for requests that no HTTP client library sends, and reads the answers.
import { once } from 'node:events';
import { connect } from 'node:net';
import { undo } from '../undo.ts';

export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

export type RawConnection = Awaited<ReturnType<typeof openConnection>>;

/** In a test it ends with it. */
export async function openConnection(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  undo(() => socket.destroy());
  await once(socket, 'connect');
  let received = Buffer.alloc(0);
  let wake = (): void => undefined;
  /** Resolves when the other side has ended the connection. */
  const ended = new Promise<void>((resolve) => {
    socket.on('end', resolve);
    socket.on('close', () => resolve());
  });
  // A reset connection shows as an incomplete answer.
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  void ended.then(() => wake());

  return {
    socket,
    ended,
    /** Sends these bytes; resolves once the operating system has them, or the connection is closed. */
    send: (bytes: string | Uint8Array) =>
      new Promise<void>((resolve) => void socket.write(bytes, () => resolve())),
    /** The next answer, by its Content-Length; rejects when the connection ends before it is complete. */
    answer: async ({ hasBody = true } = {}): Promise<RawAnswer> => {
      for (;;) {
        const parsed = parseAnswer(received, hasBody);
        if (parsed !== undefined) {
          received = received.subarray(parsed.bytes);
          return parsed.answer;
        }
        if (socket.readableEnded || socket.destroyed) {
          throw new Error(`The connection ended after: ${received.toString()}`);
        }
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    close: () => socket.destroy(),
  };
}

/** One request with `Connection: close` on a connection of its own. */
export async function exchange(
  port: number,
  request: { method?: string; target?: string; headers?: string[]; body?: string | Uint8Array },
): Promise<RawAnswer> {
  const { method = 'GET', target = '/', headers = [], body = '' } = request;
  const connection = await openConnection(port);
  const head = [`${method} ${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers];
  void connection.send(`${head.join('\r\n')}\r\n\r\n`);
  if (body.length > 0) void connection.send(body);
  try {
    return await connection.answer({ hasBody: method !== 'HEAD' });
  } finally {
    connection.close();
  }
}

/** The chunks of a body without an end, for `Transfer-Encoding: chunked`. */
export function* endlessChunks(): Generator<string> {
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  for (;;) yield chunk;
}

function parseAnswer(
  received: Buffer,
  hasBody: boolean,
): { answer: RawAnswer; bytes: number } | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bodyEnd = headEnd + 4 + (hasBody ? Number(headers['content-length'] ?? 0) : 0);
  if (received.length < bodyEnd) return undefined;
  const status = Number(statusLine.split(' ')[1]);
  return {
    answer: { status, headers, body: received.toString('utf8', headEnd + 4, bodyEnd) },
    bytes: bodyEnd,
  };
}

/** The code and the reason of an error answer; fails if it does not have the form of AIP-193. */
export function errorOf({ status, headers, body }: RawAnswer): [number, string] {
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  const { error } = JSON.parse(body) as {
    error: { code: number; status: string; message: string; details: { reason: string }[] };
  };
  expect(error).toMatchObject({
    code: status,
    status: expect.stringMatching(/^[A-Z_]+$/) as string,
    message: expect.stringMatching(/\S/) as string,
  });
  return [status, error.details[0]?.reason ?? ''];
}
