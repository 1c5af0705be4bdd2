// Decides whether an API key is valid, and which endpoints and parameter values it may use.
import type { Endpoint } from '../endpoints/endpoint.ts';
import { ServiceError } from '../core/errors.ts';
import { type ParameterValue, isAbsent, textsOf } from '../core/parameter-type.ts';
import type { ParameterRule } from '../endpoints/parameter-rule.ts';
import type { CanonicalParameters } from '../endpoints/parameters.ts';
import type { ApiKey } from '../core/key-store.ts';

export function isValidKey(key: ApiKey, nowMs: number): boolean {
  const endMs = Math.min(key.revokedAtMs ?? Infinity, key.expiresAtMs ?? Infinity);
  return nowMs < endMs;
}

type Named = Pick<Endpoint, 'name' | 'mustBeNamed'>;

export function mayUseEndpoint(
  { endpoints }: Pick<ApiKey, 'endpoints'>,
  { name, mustBeNamed = false }: Named,
): boolean {
  return endpoints.includes(name) || (endpoints.includes('*') && !mustBeNamed);
}

/**
 * Throws PARAMETER_NOT_ALLOWED unless every restricted parameter has an allowed value, or only such elements. Values are
 * compared literally: a pattern that matches an allowed value is not allowed. The parameters may be invalid.
 */
export function authoriseParameters(
  key: ApiKey,
  endpoint: Pick<Endpoint, 'rules'>,
  parameters: CanonicalParameters,
): void {
  for (const [name, allowed] of Object.entries(key.parameters ?? {})) {
    const rule = endpoint.rules.get(name);
    // A restriction that the endpoint cannot apply, such as a misspelt one, gives no access.
    if (rule === undefined || !isAllowed(rule, allowed, parameters[name] ?? null)) {
      const message = `This API key may not use this value of the parameter ${name}.`;
      throw new ServiceError('PARAMETER_NOT_ALLOWED', message);
    }
  }
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
