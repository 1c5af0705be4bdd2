// Creates the switch of a BOOL: true, false, and unset where a call may leave it out.
import { choicesOf } from './control.ts';
import { h } from '../dom.ts';
import { startsEmpty } from './start-values.ts';
import type { Parameter } from '../service.ts';
import type { ValueControl } from './value-control.ts';

/** Undefined for a value that is neither. */
export function makeSwitch(
  parameter: Parameter,
  value: string,
  attributes: Record<string, string | undefined>,
): ValueControl | undefined {
  const { name } = parameter;
  const choices = choicesOf(parameter) ?? [];
  if (value !== '' && !choices.includes(value)) return undefined;
  const states = [...(startsEmpty(parameter) ? [''] : []), ...choices];
  const radios = states.map((state) =>
    h('input', { type: 'radio', name, value: state, checked: state === value }),
  );
  const labels = radios.map((radio) =>
    h('label', {}, radio, h('span', {}, radio.value === '' ? 'not set' : radio.value)),
  );
  const element = h('div', { ...attributes, role: 'radiogroup', class: 'segmented' }, ...labels);
  element.setAttribute('aria-label', name);
  const chosen = (): HTMLInputElement | undefined => radios.find(({ checked }) => checked);
  return {
    element,
    isGroup: true,
    read: () => [chosen()?.value ?? ''],
    at: () => chosen() ?? radios[0] ?? element,
  };
}
