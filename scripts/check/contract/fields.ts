// Compares the fields of a definition, each by its own rule.

export interface ContractChange {
  /** Where it is in endpoint.json, or was, as a JSON pointer (RFC 6901). */
  pointer: string;
  /** A sentence without its full stop, which names the field. */
  message: string;
  /** Whether a call that worked may be refused, or answered in another way. */
  isBreaking: boolean;
}

/** What a change does to callers: `wider` breaks none of them. */
export type Verdict = 'same' | 'wider' | 'narrower';

type Compare<Side> = (before: Side, now: Side) => Verdict;

/** A rule for every field; null for one that callers do not depend on. */
export type Fields<Side, Name extends keyof Side> = Readonly<Record<Name, Compare<Side> | null>>;

export function compareFields<Side extends object, Name extends keyof Side & string>(
  fields: Fields<Side, Name>,
  before: Side,
  now: Side,
  around: string,
): ContractChange[] {
  return (Object.keys(fields) as Name[]).flatMap((name) => {
    const verdict = fields[name]?.(before, now) ?? 'same';
    if (verdict === 'same') return [];
    const pointer = `${around}/${name}`;
    const path = pointer.slice(1).replaceAll('/', '.');
    const message = `${path} ${describe(before[name], now[name])}`;
    return [{ pointer, message, isBreaking: verdict === 'narrower' }];
  });
}

export function mayNotChange<Name extends string>(name: Name): Compare<Field<Name, unknown>> {
  return (before, now) => (before[name] === now[name] ? 'same' : 'narrower');
}

export function mayBeDropped<Name extends string>(name: Name): Compare<Field<Name, string>> {
  return (before, now) => {
    if (before[name] === now[name]) return 'same';
    return now[name] === undefined ? 'wider' : 'narrower';
  };
}

/** An upper bound; `absent` is what its absence means. */
export function mayGrow<Name extends string>(name: Name, absent = 0): Compare<Field<Name, number>> {
  return (before, now) => verdictOf((now[name] ?? absent) - (before[name] ?? absent));
}

/** A lower bound. */
export function mayShrink<Name extends string>(
  name: Name,
  absent = 0,
): Compare<Field<Name, number>> {
  return (before, now) => mayGrow(name, absent)(now, before);
}

type Field<Name extends string, Value> = { readonly [name in Name]?: Value };

/** The difference of two infinities is no number: nothing has changed. */
function verdictOf(growth: number): Verdict {
  if (growth > 0) return 'wider';
  return growth < 0 ? 'narrower' : 'same';
}

function describe(before: unknown, now: unknown): string {
  const [were, are] = [membersOf(before), membersOf(now)];
  const lost = were.filter((member) => !are.includes(member));
  const added = are.filter((member) => !were.includes(member));
  if (were.length === 0 || are.length === 0 || lost.length + added.length === 0) {
    return `is ${inJson(now)} and was ${inJson(before)}`;
  }
  const parts = [
    ...(lost.length > 0 ? [`lacks ${lost.join(', ')}`] : []),
    ...(added.length > 0 ? [`has the new ${added.join(', ')}`] : []),
  ];
  return parts.join(' and ');
}

/** Those of a list or an object, so that a message about a long one tells what differs. */
function membersOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(inJson);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, member]) => `${inJson(name)}: ${inJson(member)}`);
}

function inJson(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}
