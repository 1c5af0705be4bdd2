// Parses the rights of a new API key from options, checked against the catalogue.
import { scalarTypeOf } from '../../functions/core/parameter-type.ts';
import { canonicalScalar } from '../../functions/endpoints/canonical-scalar.ts';
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { type ApiKey, KEY_LIMIT_MAX, isKeyLimit } from '../../functions/core/key-store.ts';

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** The last year that a Firestore timestamp can hold. */
const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

/** As in `api_keys` of infra/variables.tf, so that a key can move from one to the other. */
export function parseName(text: string): string {
  if (/^[a-z][a-z0-9-]{0,62}$/.test(text)) return text;
  throw new Error(
    `A name is 1 to 63 lower-case letters, digits and hyphens and starts with a letter, not "${text}".`,
  );
}

/** Throws for rights that give less than they seem to: an unknown endpoint, parameter or value. */
export function parseRights(
  { endpoints }: Catalogue,
  endpointList: string,
  restrictions: readonly string[],
): Pick<ApiKey, 'endpoints' | 'parameters'> {
  const names = listOf(endpointList, '--endpoints');
  const opened = names.flatMap((name) => (name === '*' ? endpoints : [endpointOf(name)]));
  if (names.includes('*') && names.length > 1) {
    throw new Error("--endpoints is '*' or names, not both.");
  }
  const parameters: Record<string, string[]> = {};
  for (const restriction of restrictions) {
    const [, name, values] = /^(\w+)=(.*)$/s.exec(restriction) ?? [];
    if (name === undefined || values === undefined) {
      throw new Error(`--parameter is written name=value,value, not "${restriction}".`);
    }
    const allowed = listOf(values, `--parameter ${name}`);
    parameters[name] = [...new Set([...(parameters[name] ?? []), ...allowed])];
  }
  for (const [name, allowed] of Object.entries(parameters)) requireUsable(opened, name, allowed);
  return {
    endpoints: [...new Set(names)],
    ...(restrictions.length === 0 ? {} : { parameters }),
  };

  function endpointOf(name: string): Endpoint {
    const found = endpoints.find((endpoint) => endpoint.name === name);
    if (found !== undefined) return found;
    const known = endpoints.map((endpoint) => endpoint.name).join(', ');
    throw new Error(`There is no endpoint ${name}. There are ${known}.`);
  }
}

/** A whole number; undefined without the option. */
export function parseLimit(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,7}$/.test(text) && isKeyLimit(Number(text))) return Number(text);
  throw new Error(`${option} is a whole number from 1 to ${KEY_LIMIT_MAX}, not "${text}".`);
}

/** `2027-01-01T00:00:00Z`, or how long from now: `30m`, `24h`, `90d`. */
export function parseExpiry(text: string, nowMs: number): number {
  const instantMs = Date.parse(text);
  const isInstant =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) &&
    // `Date` would read the 30th of February as a day in March.
    !Number.isNaN(instantMs) &&
    new Date(instantMs).toISOString().startsWith(text.slice(0, -1));
  const expiresAtMs = isInstant ? instantMs : nowMs + parseDuration(text, '--expires');
  if (expiresAtMs <= nowMs) throw new Error(`--expires ${text} is not in the future.`);
  if (expiresAtMs > LAST_MS) throw new Error(`--expires ${text} is after the year 9999.`);
  return expiresAtMs;
}

/** Milliseconds; none is allowed. */
export function parseDuration(text: string, option: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) * (UNIT_MS[unit] ?? 0);
  const instant = option === '--expires' ? 'a moment in UTC such as 2027-01-01T00:00:00Z or ' : '';
  throw new Error(`${option} is ${instant}a time such as 30m, 24h or 90d, not "${text}".`);
}

/** The beginning of a digest, as `list` shows it. */
export function parseId(text: string): string {
  if (/^[0-9a-f]{1,64}$/.test(text)) return text;
  throw new Error(`--id is the beginning of a digest in hexadecimal, not "${text}".`);
}

function listOf(text: string, option: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.every((item) => item !== '')) return items;
  throw new Error(`${option} needs values, separated by commas and none empty.`);
}

function requireUsable(opened: readonly Endpoint[], name: string, allowed: string[]): void {
  const faultOf = (endpoint: Endpoint, value: string): string | undefined => {
    const fault = faultIn(endpoint, name, value);
    return fault && `${name} of ${endpoint.name} ${fault}`;
  };
  for (const endpoint of opened) {
    if (!Object.hasOwn(endpoint.parameters, name)) {
      const known = Object.keys(endpoint.parameters).join(', ') || 'none';
      throw new Error(
        `${endpoint.name} has no parameter ${name}, so this restriction would close it. It has ${known}.`,
      );
    }
    const faults = allowed.map((value) => faultOf(endpoint, value));
    if (faults.every((fault) => fault !== undefined)) {
      throw new Error(`"${allowed.join(',')}" would never be allowed: ${faults[0]}.`);
    }
  }
  for (const value of allowed) {
    const faults = opened.map((endpoint) => faultOf(endpoint, value));
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
  // And not `read`, which gives the value of `otherwise` for it.
  const spelled = canonicalScalar(scalarTypeOf(rule.type), value);
  return 'fault' in spelled ? spelled.fault : undefined;
}
