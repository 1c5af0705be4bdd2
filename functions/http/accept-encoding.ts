// Reads the header `Accept-Encoding`: whether an answer may be compressed.

/** Whether a client takes gzip (RFC 9110, 12.5.3): named or by `*`, and not with q=0. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  // The values that nearly all clients send are compared first: parsing would slow down a hit.
  if (acceptEncoding === 'gzip' || acceptEncoding.startsWith('gzip,')) return true;
  let wildcard = false;
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return !isRefused;
    if (coding === '*') wildcard = !isRefused;
  }
  return wildcard;
}
