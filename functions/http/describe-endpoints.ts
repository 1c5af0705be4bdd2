// Describes the endpoints that an API key may use, with the values that it may pass: as the catalogue, and as OpenAPI.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { contentTag } from '../core/bytes.ts';
import { weakETag } from './caching-headers.ts';
import { FORMATS, acceptedFormat } from './formats.ts';
import { openApiDocument } from './openapi.ts';
import { requestOrigin } from './request-headers.ts';
import { queryPath } from './routes.ts';
import { isAbsent, textsOf } from '../core/parameter-type.ts';
import {
  type AuthenticatedKey,
  type Rights,
  mayUseEndpoint,
  restrictionsOf,
} from '../keys/access.ts';
import type {
  EndpointCost,
  EndpointDescription,
  ParameterDescription,
  Endpoint,
} from '../endpoints/endpoint.ts';
import type { ParameterDefinition, ParameterRule } from '../endpoints/parameter-rule.ts';

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
  endpoints: readonly Endpoint[],
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

export function describeEndpoints(
  endpoints: readonly Endpoint[],
  key: Rights,
  costOf?: (endpoint: Endpoint) => EndpointCost,
) {
  const fixed = key.token?.fixed ?? [];
  // A map, because a parameter may have the name of an inherited property of objects.
  const restrictions = Map.groupBy(restrictionsOf(key), ([name]) => name);
  /** Undefined for a parameter that is not restricted; empty if no call can pass a value of it. */
  const valuesOf = ({ rules }: Endpoint, name: string): string[] | undefined => {
    const [rule, lists] = [rules.get(name), restrictions.get(name)];
    if (rule === undefined) return [];
    const possible = lists?.map(([, allowed]) => possibleValues(rule, allowed));
    return possible?.reduce((all, some) => all.filter((value) => some.includes(value)));
  };
  // A restriction refuses every call if the endpoint lacks its parameter, or if it allows no valid value.
  const isUsable = (endpoint: Endpoint): boolean =>
    mayUseEndpoint(key, endpoint) &&
    [...restrictions.keys()].every((name) => valuesOf(endpoint, name)?.length !== 0) &&
    fixed.every((name) => isFilledIn(endpoint, name));
  /** Whether a call without a fixed parameter, which is not described, is accepted. */
  const isFilledIn = (endpoint: Endpoint, name: string): boolean => {
    const [rule, possible] = [endpoint.rules.get(name), valuesOf(endpoint, name)];
    const { value = null, fault } = rule?.read(key.token?.parameters[name]) ?? {};
    const isPossible = textsOf(value).every((text) => possible?.includes(text));
    return isPossible && fault === undefined && rule?.check(value) === undefined;
  };
  return endpoints.filter(isUsable).map((endpoint): EndpointDescription => ({
    id: endpoint.id,
    name: endpoint.name,
    description: endpoint.description,
    path: queryPath(endpoint.name),
    parameters: Object.entries(endpoint.parameters)
      .filter(([name]) => !fixed.includes(name))
      .map(([name, parameter]) => describeParameter(name, parameter, valuesOf(endpoint, name))),
    row: Object.entries(endpoint.row).map(([name, column]) => ({ name, ...column })),
    ...(endpoint.bucket && { bucket: endpoint.bucket }),
    ...(endpoint.timeZone && { timeZone: endpoint.timeZone }),
    maxRows: endpoint.maxRows,
    cachingSeconds: endpoint.cachingSeconds,
    cacheWarmingSeconds: endpoint.cacheWarmingSeconds,
    ...(costOf && { cost: costOf(endpoint) }),
  }));
}

/** The allowed values that a call can pass, in canonical spelling. */
function possibleValues(rule: ParameterRule, allowed: readonly string[]): string[] {
  // Whether an empty value means an absent one, and not the default, and the parameter may be absent.
  const { value } = rule.read(['']);
  const mayBeAbsent = isAbsent(value) && rule.check(value) === undefined;
  const possible = allowed.flatMap((text) => {
    if (text === '') return mayBeAbsent ? [''] : [];
    const canonical = rule.canonical(text);
    return canonical === undefined || rule.checkElement(canonical) !== undefined ? [] : [canonical];
  });
  return [...new Set(possible)];
}

function describeParameter(
  name: string,
  definition: ParameterDefinition,
  allowed: string[] | undefined,
): ParameterDescription {
  const parameter = { name, ...definition, type: definition.type ?? 'STRING' };
  if (allowed === undefined) return parameter;
  // The example of the definition may be a value that this key may not use.
  const [first = ''] = allowed.filter((text) => text !== '');
  const allowedOr = (text: string): string => (allowed.includes(text) ? text : first);
  const { example } = parameter;
  const isList = typeof example !== 'string' && first !== '';
  return {
    ...parameter,
    // For an ARRAY, as many values as in the definition, because their number can be bounded.
    example: isList ? example.map(allowedOr) : allowedOr(String(example)),
    allowedValues: allowed,
  };
}
