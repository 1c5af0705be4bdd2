// Answers that are not rows: the catalogue, the OpenAPI document and the console's page.
import { ServiceError } from '../core/errors.ts';
import { contentTag } from '../core/hashes.ts';
import type { ApiKey } from '../core/key-store.ts';
import type { Catalogue } from '../endpoints/catalogue.ts';
import { weakETag } from './caching-headers.ts';
import { describeEndpoints } from './describe-endpoints.ts';
import { FORMATS, negotiate } from './negotiate.ts';
import { openApiDocument } from './openapi.ts';

/** A whole body, ready to send. */
export interface Document {
  /** Content-Type, Cache-Control and whatever is this document's alone. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** The body compressed with gzip, where that is worth it. */
  gzip?: Buffer;
  etag: string;
}

/**
 * What describes the endpoints that the key may use. Throws NOT_ACCEPTABLE for a client that takes no
 * JSON. What a key may use can change, so nobody keeps it without asking again.
 */
export function descriptionFor(
  form: 'catalogue' | 'openapi',
  { endpoints }: Catalogue,
  key: ApiKey,
  accept: string | undefined,
): Document {
  if (negotiate(accept, ['json']) === undefined) {
    throw new ServiceError(
      'NOT_ACCEPTABLE',
      `This is served as ${FORMATS.json.mediaType} only: see the header Accept.`,
    );
  }
  const described = describeEndpoints(endpoints, key);
  const body = Buffer.from(
    form === 'openapi' ? openApiDocument(described, '') : JSON.stringify({ endpoints: described }),
  );
  return {
    headers: {
      'Content-Type': FORMATS.json.contentType,
      'Cache-Control': 'private, no-cache',
    },
    body,
    etag: weakETag(contentTag(body)),
  };
}
