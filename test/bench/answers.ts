// Records an answer of the service, so that the baseline functions can send the same bytes.
import { type IncomingHttpHeaders, get } from 'node:http';

interface PreparedAnswer {
  headers: Record<string, string>;
  /** base64 */
  body: string;
}

export type PreparedAnswers = Record<Encoding, PreparedAnswer>;

export type Encoding = 'gzip' | 'identity';

export const API_KEY = 'sqk_bench-key-that-opens-everything-0000000000000';

export const headersFor = (encoding: Encoding): Record<string, string> => ({
  'X-API-KEY': API_KEY,
  'Accept-Encoding': encoding,
});

/** Headers that Node adds to every answer. */
const OF_THE_SERVER = new Set(['Date', 'Connection', 'Keep-Alive']);

export async function recordAnswers(url: string): Promise<PreparedAnswers> {
  return { gzip: await record(url, 'gzip'), identity: await record(url, 'identity') };
}

async function record(url: string, encoding: Encoding): Promise<PreparedAnswer> {
  const { status, rawHeaders, body } = await ask(url, encoding);
  if (status !== 200) throw new Error(`${url} answers ${status}: ${body.toString()}`);
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!OF_THE_SERVER.has(name)) headers[name] = rawHeaders[at + 1] ?? '';
  }
  return { headers, body: body.toString('base64') };
}

interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: Buffer;
}

/** The answer as sent, not decompressed. */
export function ask(url: string, encoding: Encoding): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    get(url, { headers: headersFor(encoding), agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          rawHeaders: answer.rawHeaders,
          body: Buffer.concat(chunks),
        }),
      );
    }).on('error', reject);
  });
}
