// The values that the form of an endpoint starts with, so that a run and the curl line work at once.
import { type Endpoint, type Parameter, type Parameters, isList } from '../service.ts';
import { choicesOf } from './parameter-kind.ts';
import { isSame } from './split-values.ts';

/**
 * For each parameter, the value of an earlier run, else the example if a call needs a value. Others are left
 * out: a filter that the user did not choose would hide rows.
 */
export function startValues({ parameters }: Endpoint, earlier: Parameters): Parameters {
  const values = parameters.flatMap((parameter) => {
    const { name, example } = parameter;
    const given = valuesOf(earlier, name);
    if (fits(parameter, given)) return [[name, given] as const];
    // The example of a key with allowed values is one of them.
    return mayBeLeftOut(parameter) ? [] : [[name, listOf(example)] as const];
  });
  return Object.fromEntries(values);
}

/** Whether a call may leave the parameter out, and there is no default that its field could show. */
export function startsEmpty(parameter: Parameter): boolean {
  return parameter.default === undefined && mayBeLeftOut(parameter);
}

/**
 * Whether these values, as of a link, may be run unasked: each that is given is allowed to the key, or of an earlier run,
 * or what the field shows anyway.
 */
export function mayRun({ parameters }: Endpoint, values: Parameters, earlier: Parameters): boolean {
  const chosen = parameters.filter(({ name, default: preset }) => {
    const given = valuesOf(values, name);
    return given.length > 0 && !isSame(given, listOf(preset));
  });
  const isKnown = ({ name, allowedValues = [] }: Parameter): boolean => {
    const given = valuesOf(values, name);
    return (
      isSame(given, valuesOf(earlier, name)) ||
      given.every((value) => allowedValues.includes(value))
    );
  };
  return chosen.length > 0 && chosen.every(isKnown);
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
