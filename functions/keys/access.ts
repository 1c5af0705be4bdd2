// Decides whether an API key is valid, and which endpoints and parameter values it may use.
import { type Endpoint, groupOf } from '../endpoints/endpoint.ts';
import { sha256Hex } from '../core/bytes.ts';
import { ServiceError } from '../core/errors.ts';
import { type ParameterValue, isAbsent, textsOf } from '../core/parameter-type.ts';
import type { ParameterRule } from '../endpoints/parameter-rule.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import type { ApiKey } from '../core/key-store.ts';
import type { Token } from './token.ts';

export function isValidKey(key: ApiKey, nowMs: number): boolean {
  return nowMs < endMsOf(key);
}

/** When a key ends, or has ended; Infinity for never. */
export function endMsOf({ revokedAtMs, expiresAtMs }: ApiKey): number {
  return Math.min(revokedAtMs ?? Infinity, expiresAtMs ?? Infinity);
}

const CHECKSUM_LENGTH = 6;
/** `sqk_`, 256 bits in base64url and the checksum; keys of other shapes have no checksum. */
const KEY_WITH_CHECKSUM = /^sqk_[\w-]{49}$/;

/** Appends the checksum: the first 6 hexadecimal digits of the SHA-256 of the text before it. */
export function withChecksum(key: string): string {
  return key + sha256Hex(key).slice(0, CHECKSUM_LENGTH);
}

/** A mistyped or truncated key is refused without a look-up. */
export function hasWrongChecksum(key: string): boolean {
  return KEY_WITH_CHECKSUM.test(key) && withChecksum(key.slice(0, -CHECKSUM_LENGTH)) !== key;
}

export interface AuthenticatedKey extends ApiKey {
  /** The SHA-256 under which it is stored, in hexadecimal (of a signing key: its `kid`). It distinguishes keys of the same name. */
  digest: string;
  /** Only for a request with a token: its rights, within those of the key. */
  token?: Token;
}

/** Of a key, or of a token and its key. */
export type Rights = Pick<AuthenticatedKey, 'endpoints' | 'parameters' | 'token'>;
type Named = Pick<Endpoint, 'name' | 'mustBeNamed'>;

export function mayUseEndpoint({ endpoints, token }: Rights, endpoint: Named): boolean {
  const ofToken = token?.endpoints;
  return isListed(endpoints, endpoint) && (ofToken === undefined || isListed(ofToken, endpoint));
}

function isListed(endpoints: readonly string[], { name, mustBeNamed = false }: Named): boolean {
  if (endpoints.includes(name)) return true;
  return !mustBeNamed && (endpoints.includes('*') || endpoints.includes(`${groupOf(name)}.*`));
}

/** Restricted parameters with their allowed values. If key and token both restrict one, it is there twice, and both must allow it. */
export function restrictionsOf({ parameters = {}, token }: Rights) {
  return [parameters, token?.parameters ?? {}].flatMap((allowed) => Object.entries(allowed));
}

/**
 * Throws PARAMETER_NOT_ALLOWED unless every restricted parameter has an allowed value, or only such elements. Values are
 * compared literally: a pattern that matches an allowed value is not allowed. The parameters may be invalid.
 */
export function authoriseParameters(
  key: Rights,
  endpoint: Pick<Endpoint, 'rules'>,
  parameters: CanonicalParameters,
): void {
  for (const [name, allowed] of restrictionsOf(key)) {
    const rule = endpoint.rules.get(name);
    // A restriction that the endpoint cannot apply, such as a misspelt one, gives no access.
    if (rule === undefined || !isAllowed(rule, allowed, parameters[name] ?? null)) {
      const message = `This API key or token may not use this value of the parameter ${name}.`;
      throw new ServiceError('PARAMETER_NOT_ALLOWED', message);
    }
  }
}

/** Adds the fixed values of the token for parameters that the query string lacks. Those that it has are authorised as usual. */
export function withFixedValues(
  { token }: Pick<AuthenticatedKey, 'token'>,
  queryString: string,
): string {
  if (token === undefined || token.fixed.length === 0) return queryString;
  const stated = new URLSearchParams(queryString);
  const added = token.fixed
    .filter((name) => !stated.has(name))
    .flatMap((name) =>
      (token.parameters[name] ?? []).map(
        (value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
      ),
    );
  return [queryString, ...added].filter((part) => part !== '').join('&');
}

/** An absent value, NULL and an empty ARRAY are allowed only where `''` is listed. */
function isAllowed(rule: ParameterRule, allowed: readonly string[], value: ParameterValue) {
  const texts = allowedTexts(rule, allowed);
  return isAbsent(value) ? texts.has('') : textsOf(value).every((text) => texts.has(text));
}

// Weak maps: the values are freed together with the key and the catalogue.
const textsOfKeys = new WeakMap<readonly string[], WeakMap<ParameterRule, ReadonlySet<string>>>();

/** The allowed values as they are listed and in canonical spelling, which takes time: made once. */
function allowedTexts(rule: ParameterRule, allowed: readonly string[]): ReadonlySet<string> {
  const byRule = textsOfKeys.get(allowed) ?? new WeakMap<ParameterRule, ReadonlySet<string>>();
  textsOfKeys.set(allowed, byRule);
  const texts =
    byRule.get(rule) ?? new Set(allowed.flatMap((text) => [text, rule.canonical(text) ?? text]));
  byRule.set(rule, texts);
  return texts;
}
