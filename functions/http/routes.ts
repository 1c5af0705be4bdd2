// The routes: every path of the service, and the resource that it names.

/** `idOrName` is decoded; there may be no such endpoint. */
type Route =
  { to: 'console' | 'health' | 'mcp' | 'catalogue' | 'openapi' } | { to: 'rows'; idOrName: string };

const DOCUMENTS = new Map<string, Route>([
  // Google's front end keeps /healthz of *.run.app for itself (https://cloud.google.com/run/docs/known-issues).
  ['/health', { to: 'health' }],
  ['/healthz', { to: 'health' }],
  ['/mcp', { to: 'mcp' }],
  ['/api/endpoints', { to: 'catalogue' }],
  ['/api/endpoints/openapi.json', { to: 'openapi' }],
]);
const QUERY_PATH = '/api/endpoints/query/';

export function queryPath(name: string): string {
  return `${QUERY_PATH}${name}`;
}

/** Undefined for an unknown path. A trailing slash is ignored. */
export function routeOf(path: string): Route | undefined {
  if (path === '/') return { to: 'console' };
  const address = path.endsWith('/') ? path.slice(0, -1) : path;
  const segment = address.startsWith(QUERY_PATH) ? address.slice(QUERY_PATH.length) : '';
  if (segment === '' || segment.includes('/')) return DOCUMENTS.get(address);
  return { to: 'rows', idOrName: decode(segment) };
}

export function splitTarget(target: string): { path: string; queryString: string } {
  // A client may send the absolute form (RFC 9112, 3.2.2).
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const question = url.indexOf('?');
  if (question === -1) return { path: url, queryString: '' };
  return { path: url.slice(0, question), queryString: url.slice(question + 1) };
}

/** A segment that cannot be decoded is returned unchanged; no endpoint has such a name. */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
