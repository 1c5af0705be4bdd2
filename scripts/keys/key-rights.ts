// Parses the rights of a new API key from options, checked against the catalogue.
import { scalarTypeOf } from '../../functions/core/parameter-type.ts';
import { canonicalScalar } from '../../functions/endpoints/canonical-scalar.ts';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import { type Endpoint, groupOf } from '../../functions/endpoints/endpoint.ts';
import {
  type ApiKey,
  KEY_BYTES_MAX,
  KEY_LIMIT_MAX,
  TOKEN_SECONDS_MAX,
  isKeyLimit,
} from '../../functions/core/key-store.ts';
import { mayUseEndpoint } from '../../functions/keys/access.ts';
import { unknownName } from '../cli/options.ts';

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** As in `api_keys` of infra/variables.tf, so that a key can move from one to the other. */
export function parseName(text: string): string {
  if (/^[a-z][a-z0-9-]{0,62}$/.test(text)) return text;
  throw new Error(
    `A name must be 1 to 63 lower-case letters, digits and hyphens and start with a letter, not "${text}".`,
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
  if (unknown?.endsWith('.*')) {
    const groups = openedBy('*').map(({ name }) => `${groupOf(name)}.*`);
    throw unknownName('group', unknown, [...new Set(groups)]);
  }
  if (unknown !== undefined) {
    const known = endpoints.map((endpoint) => endpoint.name);
    throw unknownName('endpoint', unknown, known);
  }
  for (const wide of names.filter((name) => name.endsWith('*'))) {
    const all = openedBy(wide);
    const inside = names.find(
      (name) => name !== wide && name !== '*' && openedBy(name).every((one) => all.includes(one)),
    );
    if (inside !== undefined) {
      throw new Error(`${wide} opens ${inside} already: leave out one of the two endpoints.`);
    }
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
    return [name, parseList(values, `--parameter ${name}`)];
  }
  throw new Error(`--parameter must be name=value,value, not "${text}".`);
}

/** A whole number; undefined without the option. */
export function parseLimit(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,7}$/.test(text) && isKeyLimit(Number(text))) return Number(text);
  throw new Error(`${option} must be a whole number from 1 to ${KEY_LIMIT_MAX}, not "${text}".`);
}

const UNIT_BYTES: Record<string, number> = {
  ...{ '': 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 },
};

/** `50GB`, `10GiB` or a number of bytes; undefined without the option. */
export function parseBytes(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,16})([kMGT]?B|[KMGT]iB)?$/.exec(text) ?? [];
  const bytes = Number(count) * (UNIT_BYTES[unit] ?? NaN);
  if (isKeyLimit(bytes, KEY_BYTES_MAX)) return bytes;
  throw new Error(`${option} must be a size such as 50GB, 10GiB or 1000000000, not "${text}".`);
}

/** `2027-01-01T00:00:00Z`, or how long from now: `30m`, `24h`, `90d`. The returned function throws for a time in the past. */
export function parseExpiry(text: string, option = '--expires'): (nowMs: number) => number {
  const instantMs = Date.parse(text);
  const isInstant =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) &&
    // `Date` would read the 30th of February as a day in March.
    !Number.isNaN(instantMs) &&
    new Date(instantMs).toISOString().startsWith(text.slice(0, -1));
  const durationMs = isInstant ? 0 : parseDuration(text, option);
  return (nowMs) => {
    const expiresAtMs = isInstant ? instantMs : nowMs + durationMs;
    if (expiresAtMs <= nowMs) throw new Error(`${option} ${text} is not in the future.`);
    return expiresAtMs;
  };
}

/** Milliseconds; 0 is allowed. */
export function parseDuration(text: string, option: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) * (UNIT_MS[unit] ?? 0);
  const instant = option.endsWith('expires')
    ? 'a time in UTC such as 2027-01-01T00:00:00Z or '
    : '';
  throw new Error(`${option} must be ${instant}a duration such as 30m, 24h or 90d, not "${text}".`);
}

/** Seconds; undefined without the option. */
export function parseTokenLifetime(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseDuration(text, option) / 1000;
  if (isKeyLimit(seconds, TOKEN_SECONDS_MAX)) return seconds;
  throw new Error(`${option} must be from 1m to 24h, not "${text}".`);
}

/** The beginning of a digest, as `list` shows it. */
export function parseId(text: string): string {
  if (/^[0-9a-f]{1,64}$/.test(text)) return text;
  throw new Error(`--id must be the beginning of a hexadecimal digest, not "${text}".`);
}

export function parseList(text: string, option: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.every((item) => item !== '')) return items;
  throw new Error(`${option} needs values, separated by commas and none empty.`);
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
