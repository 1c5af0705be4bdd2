// Answers that are not rows: the catalogue, the OpenAPI document and the console's page.
import type { Request, Response } from '@google-cloud/functions-framework';
import type { Catalogue } from '../endpoints/catalogue.ts';
import { describeEndpoints } from './describe-endpoints.ts';
import { ServiceError } from '../core/errors.ts';
import { acceptsGzip, matchesETag, weakETag } from './caching-headers.ts';
import { contentTag } from '../core/hashes.ts';
import { FORMATS, negotiate } from './negotiate.ts';
import { openApiDocument } from './openapi.ts';
import type { ApiKey } from '../core/key-store.ts';

/** A whole body, ready to send. */
export interface Document {
  /** Content-Type, Cache-Control and whatever is this document's alone. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** The body compressed with gzip, where that is worth it. */
  gzip?: Buffer;
  etag: string;
}

export type DescribeFor = (catalogue: Catalogue, key: ApiKey) => string;

const DESCRIPTIONS: ReadonlyMap<string, DescribeFor> = new Map<string, DescribeFor>([
  [
    '/api/endpoints',
    ({ endpoints }, key) => JSON.stringify({ endpoints: describeEndpoints(endpoints, key) }),
  ],
  [
    '/api/endpoints/openapi.json',
    ({ endpoints }, key) => openApiDocument(describeEndpoints(endpoints, key), ''),
  ],
]);

/** What describes the endpoints at this path, or undefined where nothing does. */
export function descriptionAt(path: string): DescribeFor | undefined {
  return DESCRIPTIONS.get(path.endsWith('/') ? path.slice(0, -1) : path);
}

/** Throws NOT_ACCEPTABLE for a client that takes no JSON. What the key may use is not cached. */
export function jsonDocument(req: Request, text: string): Document {
  if (negotiate(req.headers.accept, ['json']) === undefined) {
    throw new ServiceError(
      'NOT_ACCEPTABLE',
      `This can be had as ${FORMATS.json.mediaType} only: see the header Accept.`,
    );
  }
  const body = Buffer.from(text);
  return {
    headers: {
      'Content-Type': FORMATS.json.contentType,
      'Cache-Control': 'private, no-cache',
    },
    body,
    etag: weakETag(contentTag(body)),
  };
}

/** 200, or 304 for a client that has it; returns which. */
export function respondWithDocument(
  req: Request,
  res: Response,
  document: Document,
  commonHeaders: Readonly<Record<string, string>>,
): number {
  const headers: Record<string, string | number> = {
    ...commonHeaders,
    ...document.headers,
    ETag: document.etag,
  };
  if (matchesETag(req.headers['if-none-match'], document.etag)) {
    delete headers['Content-Type'];
    res.writeHead(304, headers).end();
    return 304;
  }
  const gzip = acceptsGzip(req.headers['accept-encoding']) ? document.gzip : undefined;
  const body = gzip ?? document.body;
  if (gzip !== undefined) headers['Content-Encoding'] = 'gzip';
  headers['Content-Length'] = body.length;
  res.writeHead(200, headers).end(body);
  return 200;
}
