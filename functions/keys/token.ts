// What a token, a JWT (RFC 7519) that a signing key has signed, allows: reads its claims. keys/verify-token.ts verifies it.
import type { JWTPayload } from 'jose';
import { sha256Hex } from '../core/bytes.ts';
import { isObject, isText, isTexts } from '../core/json.ts';
import { KEY_LIMIT_MAX, isKeyLimit } from '../core/key-store.ts';
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
  expiresAtMs: number;
}

/** Begins with `{"` in base64url, and has a dot. An API key of this form would be read as a token. */
const LIKE_A_TOKEN = /^ey[I-L][^.]*\./;
/** The largest accepted difference between the backend's clock and this one. */
export const CLOCK_SKEW_SECONDS = 30;
const SUBJECT_LENGTH_MAX = 256;
const SUBJECT_DIGITS = 16;

export function isLikeToken(text: string): boolean {
  return LIKE_A_TOKEN.test(text);
}

/** Of verified claims; `secondsMax` is how long the key lets a token be valid. Throws TOKEN_INVALID. */
export function rightsOf(claims: JWTPayload, secondsMax: number): Token {
  const {
    iat = 0,
    exp = 0,
    nbf: _nbf,
    sub,
    endpoints,
    parameters,
    requestsPerMinute,
    ...others
  } = claims;
  // These may be ignored. `aud` may not: a service that it does not name must refuse the token (RFC 7519, 4.1.3).
  const { iss: _iss, jti: _jti, ...unknown } = others;
  refuseOthers(unknown, 'claims');
  if (exp <= iat || exp - iat > secondsMax) {
    throw invalidToken(
      `"exp" must be later than "iat", by at most ${secondsMax} seconds with this key.`,
    );
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

/** `what` may describe the token itself, and must not reveal which keys exist. */
export function invalidToken(what: string): ServiceError {
  return new ServiceError('TOKEN_INVALID', `The token is not valid. ${what}`);
}

/** One error for an unknown, expired or revoked key, an API key, and a wrong signature: which it is stays secret. */
export function unverifiedToken(): ServiceError {
  return invalidToken('No valid signing key of this service with this "kid" has signed it.');
}

export function refuseOthers(others: object, of: string): void {
  // A misspelt restriction that was ignored would let the token do more than its signer meant.
  const [name] = Object.keys(others);
  if (name !== undefined) {
    const shown = /^\w{1,32}$/.test(name) ? `"${name}"` : 'One member';
    throw invalidToken(`${shown} is not allowed in its ${of}.`);
  }
}
