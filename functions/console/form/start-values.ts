// The values that the form of an endpoint starts with, so that a run and the curl line work at once.
import { type Endpoint, type Parameter, type Parameters, isList } from '../service.ts';
import { choicesOf } from './parameter-kind.ts';
import { isSame } from './split-values.ts';

interface Start {
  values: Parameters;
  /** Whether all values that a call needs are known to be wanted: from an earlier run, or allowed to the key. */
  isWanted: boolean;
}

/**
 * For each parameter, the value of an earlier run, else the example if a call needs a value. Others are left
 * out: a filter that the user did not choose would hide rows.
 */
export function startValues({ parameters }: Endpoint, earlier: Parameters): Start {
  let [wanted, examples] = [0, 0];
  const values = parameters.flatMap((parameter) => {
    const { name, example, allowedValues } = parameter;
    const given = valuesOf(earlier, name);
    const isEarlier = fits(parameter, given);
    if (isEarlier || allowedValues !== undefined) wanted += 1;
    if (isEarlier) return [[name, given] as const];
    if (mayBeLeftOut(parameter)) return [];
    // The example of a key with allowed values is one of them.
    if (allowedValues === undefined) examples += 1;
    return [[name, listOf(example)] as const];
  });
  return { values: Object.fromEntries(values), isWanted: wanted > 0 && examples === 0 };
}

/** Whether a call may leave the parameter out, and there is no default that its field could show. */
export function startsEmpty(parameter: Parameter): boolean {
  return parameter.default === undefined && mayBeLeftOut(parameter);
}

/**
 * Whether the values of a link may be run unasked: each that is given is allowed to the key, or of an earlier run,
 * or what the field shows anyway.
 */
export function mayRunLink(
  { parameters }: Endpoint,
  values: Parameters,
  earlier: Parameters,
): boolean {
  let wanted = 0;
  for (const parameter of parameters) {
    const { name, allowedValues } = parameter;
    const given = valuesOf(values, name);
    const isEarlier = isSame(given, valuesOf(earlier, name));
    const isAllowed = given.every((value) => allowedValues?.includes(value) ?? false);
    if (given.length === 0 || isSame(given, listOf(parameter.default))) continue;
    if (!isEarlier && !isAllowed) return false;
    wanted += 1;
  }
  return wanted > 0;
}

/** The name may be one that every object has, such as `constructor`. */
export function valuesOf(values: Parameters, name: string): readonly string[] {
  return Object.hasOwn(values, name) ? (values[name] ?? []) : [];
}

export function listOf(values: string | readonly string[] | undefined): readonly string[] {
  return values === undefined ? [] : [values].flat();
}

/** A listed value of another endpoint may not be valid for this one, and a list is not valid for a single value. */
function fits(parameter: Parameter, values: readonly string[]): boolean {
  const choices = choicesOf(parameter);
  const isListed = choices === undefined || values.every((value) => choices.includes(value));
  return isListed && (isList(parameter) ? values.length > 0 : values.length === 1);
}

/** Whether a call without a value is valid, and allowed for the key. */
function mayBeLeftOut({ required, allowedValues, ...parameter }: Parameter): boolean {
  if (parameter.default === undefined) return !required && (allowedValues?.includes('') ?? true);
  return listOf(parameter.default).every((value) => allowedValues?.includes(value) ?? true);
}
