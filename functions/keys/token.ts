// Reads the parts of a token: a JWT (RFC 7519) that a key with a public key signs. Its claims count once the signature holds.
import { sha256Hex } from '../core/hashes.ts';
import { isObject, isText, isTexts } from '../core/json.ts';
import { BASE64URL_256, TOKEN_SECONDS_MAX, isKeyLimit } from '../core/key-store.ts';
import { ServiceError } from '../core/errors.ts';

/** What a token allows of that which its key allows; absent rights are those of the key. */
export interface Token {
  endpoints: readonly string[] | undefined;
  /** As in a key: the allowed values by parameter. */
  parameters: Readonly<Record<string, readonly string[]>>;
  /** The names among `parameters` whose values are filled in where a request leaves them out. */
  fixed: readonly string[];
  /** A hash of `sub`, for the log and for the limit. */
  subject: string | undefined;
  requestsPerMinute: number | undefined;
  issuedAtMs: number;
  notBeforeMs: number;
  expiresAtMs: number;
}

/** `{"` in base64url, and a second part. An API key of this form would be taken for a token. */
const LIKE_A_TOKEN = /^ey[I-L][^.]*\./;
/** Far longer than any that is accepted: it is read before its sender is known. */
const HEADER_LENGTH_MAX = 512;
const LENGTH_MAX = 8192;
/** Three parts; the last one is a signature of 64 bytes, whose last character has four bits that are always zero. */
const COMPACT = new RegExp(
  String.raw`^([\w-]{1,${HEADER_LENGTH_MAX}})\.([\w-]+)\.[\w-]{85}[AQgw]$`,
);
/** How far the clock of the backend that signs may differ from Firestore's. */
const CLOCK_SKEW_MS = 30_000;
const SUBJECT_LENGTH_MAX = 256;
const SUBJECT_DIGITS = 16;

export function isLikeToken(text: string): boolean {
  return LIKE_A_TOKEN.test(text);
}

/** The `kid`: the id of the key that has to have signed it. Throws TOKEN_INVALID for a header that no key of the service signs. */
export function tokenKeyId(token: string): string {
  const [, header = ''] = (token.length <= LENGTH_MAX && COMPACT.exec(token)) || [];
  if (header === '') {
    throw invalidToken(
      `It must have three parts, at most ${HEADER_LENGTH_MAX} characters in the first, and at most ${LENGTH_MAX} in all.`,
    );
  }
  const { alg, kid, typ = 'JWT', ...others } = membersOf(header, 'header');
  // One algorithm: a token must not choose how it is verified (RFC 8725, 3.1).
  if (alg !== 'EdDSA') throw invalidToken('"alg" must be "EdDSA".');
  if (!isText(kid) || !BASE64URL_256.test(kid)) {
    throw invalidToken('"kid" must be the id of the signing key.');
  }
  if (!isText(typ) || typ.toUpperCase() !== 'JWT') throw invalidToken('"typ" must be "JWT".');
  refuseOthers(others, 'header');
  return kid;
}

/** For a token that `tokenKeyId` has read and whose signature holds. Throws TOKEN_INVALID. */
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
  // Informative ones. `aud` is not: who is not named there must refuse the token (RFC 7519, 4.1.3).
  const { iss: _iss, jti: _jti, ...unknown } = others;
  refuseOthers(unknown, 'claims');
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof nbf !== 'number') {
    throw invalidToken('"iat" and "exp" are needed, and "nbf" is possible, each in seconds.');
  }
  if (exp <= iat || exp - iat > TOKEN_SECONDS_MAX) {
    throw invalidToken(`"exp" must be later than "iat", by ${TOKEN_SECONDS_MAX} seconds at most.`);
  }
  if (sub !== undefined && !(isText(sub) && sub !== '' && sub.length <= SUBJECT_LENGTH_MAX)) {
    throw invalidToken(`"sub" must be a text of 1 to ${SUBJECT_LENGTH_MAX} characters.`);
  }
  if (endpoints !== undefined && (!isTexts(endpoints) || endpoints.length === 0)) {
    throw invalidToken('"endpoints" must be a list of names of endpoints.');
  }
  if (requestsPerMinute !== undefined && !(isKeyLimit(requestsPerMinute) && sub !== undefined)) {
    throw invalidToken('"requestsPerMinute" must be a whole number from 1, and needs a "sub".');
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
    // Half a surrogate pair could not be written into a query string.
    if (!isListed || ![name, ...values].every((text) => text.isWellFormed())) {
      throw invalidToken(
        'Each of "parameters" must be a list of texts, or {"fixed": TEXT} with a text or a list of texts that are not empty.',
      );
    }
    return [name, values] as const;
  });
  return { parameters: Object.fromEntries(parameters), fixed };
}

/** Throws TOKEN_INVALID unless the time is within that of the token, and the key allows a token of this length. */
export function requireTimely(token: Token, tokenSeconds: number, nowMs: number): void {
  const { issuedAtMs, notBeforeMs, expiresAtMs } = token;
  if (nowMs >= expiresAtMs + CLOCK_SKEW_MS) throw invalidToken('It has expired.');
  if (nowMs < Math.max(issuedAtMs, notBeforeMs) - CLOCK_SKEW_MS) {
    throw invalidToken('It is not valid yet.');
  }
  if (expiresAtMs - issuedAtMs > tokenSeconds * 1000) {
    throw invalidToken(`Its key allows ${tokenSeconds} seconds from "iat" to "exp".`);
  }
}

/** `what` is wrong with a token that anybody could have written; nothing of what the service knows. */
function invalidToken(what: string): ServiceError {
  return new ServiceError('TOKEN_INVALID', `The token is not valid. ${what}`);
}

/** Not known, no key that signs, expired, revoked, or of another signature: one message, or it would tell which. */
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
  throw invalidToken(`Its ${part} must be a JSON object that has no member twice.`);
}

/** The members that a JSON text has in all its objects: each is a string and a colon. */
function countMembers(json: string): number {
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon).length;
}

function countNested(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const nested = Object.values(value);
  return nested.reduce(
    (sum: number, one) => sum + countNested(one),
    Array.isArray(value) ? 0 : nested.length,
  );
}

function refuseOthers(others: object, of: string): void {
  // Not ignored: a misspelt right would be none, and the token would allow more than was meant.
  const [name] = Object.keys(others);
  if (name !== undefined) {
    const shown = /^\w{1,32}$/.test(name) ? `"${name}"` : 'a member';
    throw invalidToken(`The service does not know ${shown} in its ${of}.`);
  }
}
