// Makes the control for one value of a parameter; the service alone validates the values.
import { h } from '../dom.ts';
import type { Parameter } from '../service.ts';

export type Control = HTMLInputElement | HTMLSelectElement;
type Attributes = Record<string, string | undefined>;

/** The attributes of an input by the type of its value: a field of the type number would swallow wrong input. */
const INPUTS: Record<string, Attributes> = {
  INT64: { type: 'text', inputmode: 'numeric' },
  FLOAT64: { type: 'text', inputmode: 'decimal' },
  NUMERIC: { type: 'text', inputmode: 'decimal' },
  DATE: { type: 'date' },
  DATETIME: { type: 'datetime-local', step: '1' },
};

/** The type of one value. */
export function scalarOf({ type }: Parameter): string {
  return type.replace(/^ARRAY<(.+)>$/, '$1');
}

/** The values to choose from; undefined if any may be entered. */
export function choicesOf(parameter: Parameter): string[] | undefined {
  const choices = parameter.allowedValues ?? parameter.enum;
  if (choices !== undefined) return choices.filter((choice) => choice !== '');
  return scalarOf(parameter) === 'BOOL' ? ['true', 'false'] : undefined;
}

/** An input, or a select where there are choices; `none` is the label of no value, which may be left out. */
export function makeControl(
  parameter: Parameter,
  { value, none, ...attributes }: { value: string; none: string | undefined } & Attributes,
): Control {
  const choices = choicesOf(parameter);
  if (choices === undefined) {
    const input = h('input', {
      ...attributes,
      ...(INPUTS[scalarOf(parameter)] ?? { type: 'text' }),
      placeholder: placeholderOf(parameter),
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
    });
    enter(input, value);
    return input;
  }
  // A link may carry a value that is not listed: the service decides about it.
  const listed = value === '' || choices.includes(value) ? choices : [value, ...choices];
  const options = [
    ...(none === undefined ? [] : [h('option', { value: '' }, none)]),
    ...listed.map((choice) => h('option', { value: choice }, choice)),
  ];
  const select = h('select', attributes, ...options);
  select.value = value;
  return select;
}

/** In words, because an example alone looks like a value. */
function placeholderOf({ example }: Parameter): string | undefined {
  const [first] = [example].flat();
  return first === undefined ? undefined : `such as ${first}`;
}

/** Sets the value of an input; one for dates becomes a text field if it cannot hold the value. */
export function enter(input: HTMLInputElement, value: string): void {
  input.value = value;
  const held = input.value;
  // A browser leaves out seconds that are zero.
  const isHeld = held !== '' && value.startsWith(held) && /^[:.0]*$/.test(value.slice(held.length));
  if (isHeld || value === '') return;
  input.type = 'text';
  input.value = value;
}
