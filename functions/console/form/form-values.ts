// The values of the form: as they start, so that a run and the curl line work at once, and as a call sends them.
import type { Endpoint, Parameters } from '../service.ts';
import { type Parameter, choicesOf, isList, isTextList, scalarOf } from './parameter.ts';
import { joinValues, splitValues } from './text-list.ts';

/** What the fields contain: a list without choices is one text. A parameter without a value has its default. */
export function draftOf(endpoint: Endpoint, given: Parameters): Parameters {
  return valuesOfEach(endpoint, (parameter) => {
    const { name, default: preset } = parameter;
    const values = given.has(name) ? given.getAll(name) : listOf(preset);
    if (isTextList(parameter)) return [joinValues(values, scalarOf(parameter))];
    return isList(parameter) ? values : values.slice(0, 1);
  });
}

/** An empty field is an absent parameter. */
export function valuesToSend(endpoint: Endpoint, draft: Parameters): Parameters {
  return valuesOfEach(endpoint, (parameter) => {
    const given = draft
      .getAll(parameter.name)
      .flatMap((value) =>
        isTextList(parameter) ? splitValues(value, scalarOf(parameter)) : [value],
      )
      .filter((value) => value !== '');
    // A list without a value would become its default.
    const isEmptyList = isList(parameter) && parameter.default !== undefined && given.length === 0;
    return isEmptyList ? [''] : given;
  });
}

/**
 * For each parameter, the value of an earlier run, else the example if a call needs a value. Others are left
 * out: a filter that the user did not choose would hide rows.
 */
export function startValues(endpoint: Endpoint, earlier: Parameters): Parameters {
  return valuesOfEach(endpoint, (parameter) => {
    const given = earlier.getAll(parameter.name);
    if (fits(parameter, given)) return given;
    // The example of a key with allowed values is one of them.
    return mayBeLeftOut(parameter) ? [] : listOf(parameter.example);
  });
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
  const chosen = parameters
    .map((parameter) => ({ ...parameter, given: values.getAll(parameter.name) }))
    .filter(({ given, default: preset }) => given.length > 0 && !isSame(given, listOf(preset)));
  const isKnown = ({ name, given, allowedValues = [] }: (typeof chosen)[number]): boolean =>
    isSame(given, earlier.getAll(name)) || given.every((value) => allowedValues.includes(value));
  return chosen.length > 0 && chosen.every(isKnown);
}

export function listOf(values: string | readonly string[] | undefined): readonly string[] {
  return values === undefined ? [] : [values].flat();
}

function valuesOfEach(
  { parameters }: Endpoint,
  valuesOf: (parameter: Parameter) => readonly string[],
): Parameters {
  return new URLSearchParams(
    parameters.flatMap((one) => valuesOf(one).map((value) => [one.name, value])),
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A listed value of another endpoint may not be valid for this one, and a list is not valid for a single value. */
function fits(parameter: Parameter, values: readonly string[]): boolean {
  const choices = choicesOf(parameter);
  const isListed = choices === undefined || values.every((value) => choices.includes(value));
  return isListed && (isList(parameter) ? values.length > 0 : values.length === 1);
}

/** Whether a call without a value is valid, and allowed for the key. */
function mayBeLeftOut({ required, allowedValues, default: preset }: Parameter): boolean {
  if (preset === undefined && required) return false;
  return listOf(preset ?? '').every((value) => allowedValues?.includes(value) ?? true);
}
