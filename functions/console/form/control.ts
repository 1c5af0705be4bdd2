// Creates the control for one value of a parameter; the service alone validates the values.
import { h } from '../dom.ts';
import type { Parameter } from '../service.ts';
import { withSeconds } from './wall-clock.ts';
import type { ValueControl } from './value-control.ts';

/** A browser does not give out a date of which only a part is entered. */
export const INCOMPLETE = 'must be complete or empty';

export type Control = HTMLInputElement | HTMLSelectElement;
type Attributes = Record<string, string | undefined>;

/** The attributes of an input by the type of its value: a field of the type number would swallow wrong input. */
const INPUTS: Record<string, Attributes> = {
  INT64: { type: 'text', inputmode: 'numeric' },
  FLOAT64: { type: 'text', inputmode: 'decimal' },
  NUMERIC: { type: 'text', inputmode: 'decimal' },
  // The bound ends the typing of a year at four digits.
  DATE: { type: 'date', max: '9999-12-31' },
  DATETIME: { type: 'datetime-local', step: '1', max: '9999-12-31T23:59:59' },
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
    const input = makeEmptyInput(parameter, attributes);
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

export function makeEmptyInput(parameter: Parameter, attributes: Attributes): HTMLInputElement {
  return h('input', {
    ...attributes,
    ...(INPUTS[scalarOf(parameter)] ?? { type: 'text' }),
    placeholder: placeholderOf(parameter),
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
}

/** One control for one value. */
export function makeInput(
  parameter: Parameter,
  options: { value: string; none: string | undefined } & Attributes,
): ValueControl {
  const control = makeControl(parameter, options);
  const made = {
    element: control,
    read: () => [control.type === 'datetime-local' ? withSeconds(control.value) : control.value],
    fault: () => (control.validity.badInput ? INCOMPLETE : undefined),
    at: () => control,
  };
  if (control instanceof HTMLSelectElement) return made;
  const { type = 'text' } = INPUTS[scalarOf(parameter)] ?? {};
  takePaste(control, (text) => {
    const { value } = control;
    if (control.type === 'text') return false;
    control.value = text;
    if (control.value !== '') return true;
    control.value = value;
    return false;
  });
  return {
    ...made,
    fill([value = '']) {
      control.type = type;
      enter(control, value);
    },
  };
}

/** Date fields ignore pasted text: `accept` fills in the text, or returns false. */
export function takePaste(input: HTMLInputElement, accept: (text: string) => boolean): void {
  input.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain').trim() ?? '';
    if (text === '' || !accept(text)) return;
    event.preventDefault();
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

/** In words, because an example alone looks like a value. */
export function placeholderOf({ example }: Parameter): string | undefined {
  const [first] = [example].flat();
  return first === undefined ? undefined : `such as ${first}`;
}

/** Sets the value of an input; a date input becomes a text field if it cannot contain the value. */
export function enter(input: HTMLInputElement, value: string): void {
  input.value = value;
  const held = input.value;
  // A browser leaves out seconds that are zero.
  const isHeld = held !== '' && value.startsWith(held) && /^[:.0]*$/.test(value.slice(held.length));
  if (isHeld || value === '') return;
  input.type = 'text';
  input.value = value;
}
