// Reads the name, the rights, the limits and the end of a new API key from options.
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { scalarTypeOf } from '../../functions/core/parameter-type.ts';
import { canonicalScalar } from '../../functions/endpoints/canonical-scalar.ts';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import { type Endpoint, groupOf } from '../../functions/endpoints/endpoint.ts';
import {
  type ApiKey,
  KEY_LIMIT_MAX,
  TOKEN_SECONDS_MAX,
  isKeyLimit,
} from '../../functions/core/key-store.ts';
import { mayUseEndpoint } from '../../functions/keys/access.ts';
import { UsageError } from '../cli/command.ts';
import { unknownName } from '../cli/options.ts';

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** As in `api_keys` of infra/variables.tf, so that a key can move from one to the other. */
export function parseName(text: string): string {
  if (/^[a-z][a-z0-9-]{0,62}$/.test(text)) return text;
  throw new InvalidArgumentError(
    'A name is 1 to 63 lower-case letters, digits and hyphens, and begins with a letter.',
  );
}

/**
 * Throws for rights that would give less access than they seem to: an unknown endpoint, a restriction that
 * an endpoint cannot apply (which denies the key that endpoint), a value that is never valid.
 */
export function parseRights(
  { endpoints }: Catalogue,
  names: readonly string[],
  restrictions: readonly Restriction[],
): Pick<ApiKey, 'endpoints' | 'parameters'> {
  const openedBy = (...list: string[]): Endpoint[] =>
    endpoints.filter((endpoint) => mayUseEndpoint({ endpoints: list }, endpoint));
  const unknown = names.find((name) => name !== '*' && openedBy(name).length === 0);
  if (unknown !== undefined) {
    const isGroup = unknown.endsWith('.*');
    const known = isGroup
      ? openedBy('*').map(({ name }) => `${groupOf(name)}.*`)
      : endpoints.map(({ name }) => name);
    throw unknownName(isGroup ? 'group' : 'endpoint', unknown, [...new Set(known)]);
  }
  const allowedTo = openedBy(...names);
  // A Map, because a caller may write any name, such as constructor.
  const parameters = new Map<string, string[]>();
  for (const [name, allowed] of restrictions) {
    parameters.set(name, [...new Set([...(parameters.get(name) ?? []), ...allowed])]);
  }
  for (const [name, allowed] of parameters) requireUsable(allowedTo, name, allowed);
  return {
    endpoints: [...new Set(names)],
    ...(restrictions.length > 0 && { parameters: Object.fromEntries(parameters) }),
  };
}

/** A parameter with the values that the key may pass for it. */
export type Restriction = readonly [name: string, allowed: readonly string[]];

/** `project=abc,def` */
export function parseRestriction(text: string): Restriction {
  const [, name, values] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && values !== undefined) {
    return [name, parseList(values)];
  }
  throw new InvalidArgumentError('It must be name=value,value.');
}

/** A whole number. */
export function parseLimit(text: string): number {
  if (/^\d{1,7}$/.test(text) && isKeyLimit(Number(text))) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${KEY_LIMIT_MAX}.`);
}

/** `2027-01-01T00:00:00Z`, or how long from now: `30m`, `24h`, `90d`. The returned function throws for a time in the past. */
export function parseExpiry(text: string): (nowMs: number) => number {
  const instantMs = Date.parse(text);
  const isInstant =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) &&
    // `Date` would read the 30th of February as a day in March.
    !Number.isNaN(instantMs) &&
    new Date(instantMs).toISOString().startsWith(text.slice(0, -1));
  const durationMs = isInstant ? 0 : durationOf(text);
  if (durationMs === undefined) {
    throw new InvalidArgumentError(
      'It must be a time in UTC such as 2027-01-01T00:00:00Z, or a duration such as 30m, 24h or 90d.',
    );
  }
  return (nowMs) => {
    const expiresAtMs = isInstant ? instantMs : nowMs + durationMs;
    if (expiresAtMs <= nowMs) throw new UsageError(`--expires ${text} is not in the future.`);
    return expiresAtMs;
  };
}

/** Milliseconds; 0 is allowed. */
export function parseOverlap(text: string): number {
  const ms = durationOf(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('It must be a duration such as 30m, 24h or 90d.');
}

/** Seconds. */
export function parseTokenLifetime(text: string): number {
  const seconds = (durationOf(text) ?? 0) / 1000;
  if (isKeyLimit(seconds, TOKEN_SECONDS_MAX)) return seconds;
  throw new InvalidArgumentError('It must be a duration from 1m to 24h.');
}

function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNIT_MS[unit] ?? 0);
}

/** The beginning of a digest, as `list` shows it. */
export function parseId(text: string): string {
  if (/^[0-9a-f]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the beginning of a hexadecimal digest.');
}

export function parseList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.every((item) => item !== '')) return items;
  throw new InvalidArgumentError('It needs values, separated by commas and none empty.');
}

function requireUsable(endpoints: readonly Endpoint[], name: string, allowed: string[]): void {
  const faultOf = (endpoint: Endpoint, value: string): string | undefined => {
    const fault = faultIn(endpoint, name, value);
    return fault && `${name} of ${endpoint.name} ${fault}`;
  };
  for (const endpoint of endpoints) {
    if (!Object.hasOwn(endpoint.parameters, name)) {
      const known = Object.keys(endpoint.parameters).join(', ') || 'none';
      throw new Error(
        `${endpoint.name} has no parameter ${name}, so this restriction would deny the key this endpoint. Its parameters: ${known}.`,
      );
    }
    const faults = allowed.map((value) => faultOf(endpoint, value));
    if (faults.every((fault) => fault !== undefined)) {
      throw new Error(`"${allowed.join(',')}" would never be allowed: ${faults[0]}.`);
    }
  }
  for (const value of allowed) {
    const faults = endpoints.map((endpoint) => faultOf(endpoint, value));
    if (faults.every((fault) => fault !== undefined)) {
      throw new Error(`"${value}" would never be allowed: ${faults.at(-1)}.`);
    }
  }
}

/** Why no call can pass the value, as a scalar or an element of an ARRAY. */
function faultIn({ rules }: Endpoint, name: string, value: string): string | undefined {
  const rule = rules.get(name);
  if (rule === undefined) return undefined;
  const canonical = rule.canonical(value);
  if (canonical !== undefined) return rule.checkElement(canonical);
  // `read` would replace it with the value of `otherwise`.
  const spelled = canonicalScalar(scalarTypeOf(rule.type), value);
  return 'fault' in spelled ? spelled.fault : undefined;
}
