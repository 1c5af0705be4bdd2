// The control of the soak test: BigQuery whose metadata stays as it was, so that no change of a table is seen.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Sends questions about tables to `frozen`, and all other calls to `real`; both are addresses of a local BigQuery. */
export async function withholdMetadata(real: string, frozen: string) {
  const ofFrozen = new Set<string>();
  const server = createServer((req, res) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of req) parts.push(part as Buffer);
      const body = Buffer.concat(parts);
      const text = body.toString();
      const [, job = ''] = /\/(?:queries|jobs)\/([\w-]+)/.exec(req.url ?? '') ?? [];
      const isQuestion =
        text.includes('INFORMATION_SCHEMA.PARTITIONS') || /\/tables\//.test(req.url ?? '');
      const [, inserted] = /"jobId":"([\w-]+)"/.exec(text) ?? [];
      if (isQuestion && inserted) ofFrozen.add(inserted);
      const target = isQuestion || ofFrozen.has(job) ? frozen : real;
      const answer = await fetch(`${target}${req.url}`, {
        method: req.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...(body.length > 0 ? { body } : {}),
      });
      res.writeHead(answer.status, { 'content-type': 'application/json; charset=UTF-8' });
      res.end(Buffer.from(await answer.arrayBuffer()));
    })().catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
