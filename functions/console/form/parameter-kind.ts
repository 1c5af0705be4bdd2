// What kind of values a parameter takes: the type of one, the choices, and an example in words.
import type { Parameter } from '../service.ts';

/** The type of one value. */
export function scalarOf({ type }: Pick<Parameter, 'type'>): string {
  return type.replace(/^ARRAY<(.+)>$/, '$1');
}

/** The values to choose from; undefined if any may be entered. */
export function choicesOf(parameter: Parameter): string[] | undefined {
  const choices = parameter.allowedValues ?? parameter.enum;
  if (choices !== undefined) return choices.filter((choice) => choice !== '');
  return scalarOf(parameter) === 'BOOL' ? ['true', 'false'] : undefined;
}

/** In words, because an example alone looks like a value. */
export function placeholderOf({ example }: Parameter): string | undefined {
  const [first] = [example].flat();
  return first === undefined ? undefined : `such as ${first}`;
}
