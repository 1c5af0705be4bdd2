// Parses and checks a token: a JWT (RFC 7519), signed with the private key of a signing key. The signature is verified elsewhere.
import { sha256Hex } from '../core/hashes.ts';
import { isObject, isText, isTexts } from '../core/json.ts';
import { BASE64URL_256, KEY_LIMIT_MAX, TOKEN_SECONDS_MAX, isKeyLimit } from '../core/key-store.ts';
import { ServiceError } from '../core/errors.ts';

/** What a token allows, within the rights of its key. Rights that it leaves out are those of the key. */
export interface Token {
  endpoints: readonly string[] | undefined;
  /** The allowed values by parameter, as in a key. */
  parameters: Readonly<Record<string, readonly string[]>>;
  /** The names of those `parameters` whose values are filled in if a request leaves them out. */
  fixed: readonly string[];
  /** A hash of `sub`, for the log and for the limit. */
  subject: string | undefined;
  requestsPerMinute: number | undefined;
  issuedAtMs: number;
  notBeforeMs: number;
  expiresAtMs: number;
}

/** Begins with `{"` in base64url, and has a dot. An API key of this form would be read as a token. */
const LIKE_A_TOKEN = /^ey[I-L][^.]*\./;
/** Bounds what is parsed before the signature is verified. A header that is accepted is far shorter. */
const HEADER_LENGTH_MAX = 512;
const LENGTH_MAX = 8192;
/** Three parts. The last is an Ed25519 signature: 64 bytes are 86 characters, and the last 4 bits of these are zero. */
const COMPACT = new RegExp(
  String.raw`^([\w-]{1,${HEADER_LENGTH_MAX}})\.([\w-]+)\.[\w-]{85}[AQgw]$`,
);
/** The largest accepted difference between the backend's clock and Firestore's. */
const CLOCK_SKEW_MS = 30_000;
const SUBJECT_LENGTH_MAX = 256;
const SUBJECT_DIGITS = 16;

export function isLikeToken(text: string): boolean {
  return LIKE_A_TOKEN.test(text);
}

/** The `kid` of a token, whose signature is not verified yet. Throws TOKEN_INVALID for a wrong form or header. */
export function tokenKeyId(token: string): string {
  const [, header = ''] = (token.length <= LENGTH_MAX && COMPACT.exec(token)) || [];
  if (header === '') {
    throw invalidToken(
      `It must have a header of at most ${HEADER_LENGTH_MAX} characters, claims and an Ed25519 signature, and at most ${LENGTH_MAX} characters in all.`,
    );
  }
  const { alg, kid, typ = 'JWT', ...others } = membersOf(header, 'header');
  // One algorithm: a token must not choose how it is verified (RFC 8725, 3.1).
  if (alg !== 'EdDSA') throw invalidToken('"alg" must be "EdDSA".');
  if (!isText(kid) || !BASE64URL_256.test(kid)) {
    throw invalidToken('"kid" must be the id of a signing key, of 43 characters.');
  }
  if (!isText(typ) || typ.toUpperCase() !== 'JWT') throw invalidToken('"typ" must be "JWT".');
  refuseOthers(others, 'header');
  return kid;
}

/** The claims of a token whose header `tokenKeyId` has accepted and whose signature is valid. Throws TOKEN_INVALID. */
export function readToken(token: string): Token {
  const {
    iat,
    exp,
    nbf = iat,
    sub,
    endpoints,
    parameters,
    requestsPerMinute,
    ...others
  } = membersOf(token.split('.')[1] ?? '', 'claims');
  // These may be ignored. `aud` may not: a service that it does not name must refuse the token (RFC 7519, 4.1.3).
  const { iss: _iss, jti: _jti, ...unknown } = others;
  refuseOthers(unknown, 'claims');
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof nbf !== 'number') {
    throw invalidToken(
      '"iat" and "exp" are required and "nbf" is optional, each a number of seconds since 1970.',
    );
  }
  if (exp <= iat || exp - iat > TOKEN_SECONDS_MAX) {
    throw invalidToken(`"exp" must be later than "iat", by ${TOKEN_SECONDS_MAX} seconds at most.`);
  }
  if (sub !== undefined && !(isText(sub) && sub !== '' && sub.length <= SUBJECT_LENGTH_MAX)) {
    throw invalidToken(`"sub" must be a string of 1 to ${SUBJECT_LENGTH_MAX} characters.`);
  }
  if (endpoints !== undefined && (!isTexts(endpoints) || endpoints.length === 0)) {
    throw invalidToken('"endpoints" must be a list of one or more names of endpoints.');
  }
  if (requestsPerMinute !== undefined && !(isKeyLimit(requestsPerMinute) && sub !== undefined)) {
    throw invalidToken(
      `"requestsPerMinute" must be a whole number from 1 to ${KEY_LIMIT_MAX}, and needs a "sub".`,
    );
  }
  return {
    ...readParameters(parameters),
    endpoints,
    subject: sub === undefined ? undefined : sha256Hex(sub).slice(0, SUBJECT_DIGITS),
    requestsPerMinute,
    issuedAtMs: iat * 1000,
    notBeforeMs: nbf * 1000,
    expiresAtMs: exp * 1000,
  };
}

function readParameters(claim: unknown = {}): Pick<Token, 'parameters' | 'fixed'> {
  if (!isObject(claim)) throw invalidToken('"parameters" must be an object.');
  const fixed: string[] = [];
  const parameters = Object.entries(claim).map(([name, given]) => {
    const isFixed = isObject(given);
    if (isFixed) {
      fixed.push(name);
      const { fixed: _, ...others } = given;
      refuseOthers(others, `parameter ${name}`);
    }
    const values = isFixed ? [given.fixed].flat() : given;
    const isListed = isTexts(values) && values.length > 0 && !(isFixed && values.includes(''));
    // A lone surrogate cannot be encoded in a query string.
    if (!isListed || ![name, ...values].every((text) => text.isWellFormed())) {
      throw invalidToken(
        'Each member of "parameters" must be a list of one or more strings, or {"fixed": …} with one or more strings that are not empty.',
      );
    }
    return [name, values] as const;
  });
  return { parameters: Object.fromEntries(parameters), fixed };
}

/** Throws TOKEN_INVALID unless the token is valid now, and for no longer than its key allows. */
export function requireTimely(token: Token, tokenSeconds: number, nowMs: number): void {
  const { issuedAtMs, notBeforeMs, expiresAtMs } = token;
  if (nowMs >= expiresAtMs + CLOCK_SKEW_MS) throw invalidToken('It has expired.');
  if (nowMs < Math.max(issuedAtMs, notBeforeMs) - CLOCK_SKEW_MS) {
    throw invalidToken('It is not valid yet.');
  }
  if (expiresAtMs - issuedAtMs > tokenSeconds * 1000) {
    throw invalidToken(`Its key allows at most ${tokenSeconds} seconds from "iat" to "exp".`);
  }
}

/** `what` may describe the token itself, and must not reveal which keys exist. */
function invalidToken(what: string): ServiceError {
  return new ServiceError('TOKEN_INVALID', `The token is not valid. ${what}`);
}

/** One error for an unknown, expired or revoked key, an API key, and a wrong signature: which it is stays secret. */
export function unverifiedToken(): ServiceError {
  return invalidToken('No valid signing key of this service with this "kid" has signed it.');
}

function membersOf(base64url: string, part: string): Record<string, unknown> {
  try {
    const bytes = Buffer.from(base64url, 'base64url');
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const members: unknown = JSON.parse(text);
    if (isObject(members) && countMembers(text) === countNested(members)) return members;
  } catch {
    // Neither UTF-8 nor JSON.
  }
  throw invalidToken(`Its ${part} must be a JSON object without duplicate members.`);
}

/** How many members the objects of a JSON text have, duplicates included: each is a string and a colon. */
function countMembers(json: string): number {
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon).length;
}

/** How many members the parsed objects have: without duplicates. */
function countNested(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const nested = Object.values(value);
  return nested.reduce(
    (sum: number, one) => sum + countNested(one),
    Array.isArray(value) ? 0 : nested.length,
  );
}

function refuseOthers(others: object, of: string): void {
  // A misspelt restriction that was ignored would let the token do more than its signer meant.
  const [name] = Object.keys(others);
  if (name !== undefined) {
    const shown = /^\w{1,32}$/.test(name) ? `"${name}"` : 'One member';
    throw invalidToken(`${shown} is not allowed in its ${of}.`);
  }
}
