// Builds the catalogue and the OpenAPI document that one API key may see.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { contentTag } from '../core/bytes.ts';
import type { Catalogue } from '../endpoints/catalogue.ts';
import type { EndpointCost, Endpoint } from '../endpoints/endpoint.ts';
import type { AuthenticatedKey } from '../keys/access.ts';
import { weakETag } from './caching-headers.ts';
import { describeEndpoints } from './describe-endpoints.ts';
import { FORMATS, acceptedFormat } from './formats.ts';
import { openApiDocument } from './openapi.ts';
import { requestOrigin } from './request-headers.ts';

export interface Document {
  /** Content-Type, Cache-Control and headers of this document only. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  gzip?: Buffer;
  etag: string;
}

/** Throws NOT_ACCEPTABLE for a client that does not accept JSON. Caches must revalidate: the rights of a key can change. */
export function descriptionFor(
  form: 'catalogue' | 'openapi',
  endpoints: Catalogue['endpoints'],
  { key, headers }: { key: AuthenticatedKey; headers: IncomingHttpHeaders },
  costOf: (endpoint: Endpoint) => EndpointCost,
): Document {
  acceptedFormat(headers.accept, ['json']);
  // The holder of a token learns nothing of the team's costs and bytes.
  const isOfTeam = key.token === undefined;
  const cost = isOfTeam && form === 'catalogue' ? costOf : undefined;
  const described = describeEndpoints(endpoints, key, cost);
  const { missesPerMinute } = key;
  const [requestsPerMinute] = [key.requestsPerMinute, key.token?.requestsPerMinute]
    .filter((limit) => limit !== undefined)
    .sort((a, b) => a - b);
  const bytesPerDay = isOfTeam ? key.bytesPerDay : undefined;
  const isLimited = (requestsPerMinute ?? missesPerMinute ?? bytesPerDay) !== undefined;
  const limits = isLimited ? { requestsPerMinute, missesPerMinute, bytesPerDay } : undefined;
  const body = Buffer.from(
    form === 'openapi'
      ? openApiDocument(described, requestOrigin(headers) ?? '')
      : JSON.stringify({ key: { name: key.name }, endpoints: described, limits }),
  );
  return {
    headers: { 'Content-Type': FORMATS.json.contentType, 'Cache-Control': 'private, no-cache' },
    body,
    etag: weakETag(contentTag(createHash('sha256').update(body))),
  };
}
