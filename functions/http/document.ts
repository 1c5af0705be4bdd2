// Builds the catalogue and the OpenAPI document that one API key may see.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { contentTag } from '../core/hashes.ts';
import type { ApiKey } from '../core/key-store.ts';
import type { Catalogue } from '../endpoints/catalogue.ts';
import { weakETag } from './caching-headers.ts';
import { describeEndpoints } from './describe-endpoints.ts';
import { FORMATS, acceptedFormat } from './formats.ts';
import { openApiDocument } from './openapi.ts';
import { requestOrigin } from './request-headers.ts';

/** A complete answer, ready to send. */
export interface Document {
  /** Content-Type, Cache-Control and headers of this document only. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** The body compressed with gzip, if it is large enough. */
  gzip?: Buffer;
  etag: string;
}

/**
 * The document that describes the endpoints that the key may use; the catalogue also has the limits of the key.
 * Throws NOT_ACCEPTABLE for a client that does not accept JSON. The rights of a key can change, so caches must revalidate.
 */
export function descriptionFor(
  form: 'catalogue' | 'openapi',
  { endpoints }: Catalogue,
  key: ApiKey,
  headers: IncomingHttpHeaders,
): Document {
  acceptedFormat(headers.accept, ['json']);
  const described = describeEndpoints(endpoints, key);
  const { requestsPerMinute, missesPerMinute } = key;
  const isLimited = (requestsPerMinute ?? missesPerMinute) !== undefined;
  const limits = isLimited ? { requestsPerMinute, missesPerMinute } : undefined;
  const body = Buffer.from(
    form === 'openapi'
      ? openApiDocument(described, requestOrigin(headers) ?? '')
      : JSON.stringify({ key: { name: key.name }, endpoints: described, limits }),
  );
  return {
    headers: {
      'Content-Type': FORMATS.json.contentType,
      'Cache-Control': 'private, no-cache',
    },
    body,
    etag: weakETag(contentTag(createHash('sha256').update(body))),
  };
}
