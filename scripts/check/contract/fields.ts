// Compares the fields of two definitions, each by its own rule.

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

/** A rule for every field, asked where the field differs; null for one that callers do not depend on. */
export type Fields<Side, Name extends keyof Side> = Readonly<
  Record<Name, ((before: Side, now: Side) => Verdict) | null>
>;

export function compareFields<Side extends object, Name extends keyof Side & string>(
  fields: Fields<Side, Name>,
  before: Side,
  now: Side,
  around: string,
): ContractChange[] {
  return (Object.keys(fields) as Name[]).flatMap((name) => {
    const [was, is] = [before[name], now[name]].map((value) => JSON.stringify(value) ?? 'absent');
    const verdict = was === is ? 'same' : (fields[name]?.(before, now) ?? 'same');
    if (verdict === 'same') return [];
    const pointer = `${around}/${name}`;
    const message = `${pointer.slice(1).replaceAll('/', '.')} is ${is} and was ${was}`;
    return [{ pointer, message, isBreaking: verdict === 'narrower' }];
  });
}

export const mayNotChange = (): Verdict => 'narrower';

type Field<Name extends string, Value> = { readonly [name in Name]?: Value };

export function mayBeDropped<Name extends string>(name: Name) {
  return (_: Field<Name, string>, now: Field<Name, string>): Verdict =>
    now[name] === undefined ? 'wider' : 'narrower';
}

/** An upper bound; `absent` is what its absence means. */
export function mayGrow<Name extends string>(name: Name, absent = 0) {
  return (before: Field<Name, number>, now: Field<Name, number>): Verdict => {
    const [was, is] = [before[name] ?? absent, now[name] ?? absent];
    if (was === is) return 'same';
    return was < is ? 'wider' : 'narrower';
  };
}

/** A lower bound. */
export function mayShrink<Name extends string>(name: Name, absent = 0) {
  return (before: Field<Name, number>, now: Field<Name, number>): Verdict =>
    mayGrow(name, absent)(now, before);
}
