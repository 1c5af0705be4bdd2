// The form for an endpoint's parameters; the service alone validates the values.
import type { FieldViolation } from '../core/errors.ts';
import { byId, h } from './dom.ts';
import type { Endpoint, Parameters } from './service.ts';

type Control = HTMLInputElement | HTMLSelectElement;
type Parameter = Endpoint['parameters'][number];

/** Makes the fields, filled with the given values. */
export function showFields(endpoint: Endpoint, values: Parameters): void {
  byId('fields').replaceChildren(
    ...endpoint.parameters.map((parameter) => field(parameter, values[parameter.name])),
  );
}

/** The values of the form; an empty field is an absent parameter. */
export function readFields(endpoint: Endpoint): Parameters {
  return Object.fromEntries(
    endpoint.parameters
      .map(({ name }) => [name, controlOf(name).value] as const)
      .filter(([, value]) => value !== ''),
  );
}

/** Shows each violation beside its field and focuses the first; returns those without a field. */
export function showViolations(
  endpoint: Endpoint,
  violations: readonly FieldViolation[],
): FieldViolation[] {
  for (const { name } of endpoint.parameters) showError(name, undefined);
  const names = endpoint.parameters.map(({ name }) => name);
  const ofFields = violations.filter((violation) => names.includes(violation.field));
  for (const { field, description } of ofFields) showError(field, `${field} ${description}.`);
  const first = ofFields[0];
  if (first !== undefined) controlOf(first.field).focus();
  return violations.filter((violation) => !names.includes(violation.field));
}

function controlOf(name: string): Control {
  return byId<Control>(`field-${name}`);
}

function showError(name: string, text: string | undefined): void {
  const error = byId(`error-${name}`);
  error.textContent = text ?? '';
  error.hidden = text === undefined;
  if (text === undefined) controlOf(name).removeAttribute('aria-invalid');
  else controlOf(name).setAttribute('aria-invalid', 'true');
}

function field(parameter: Parameter, value: string | undefined): HTMLElement {
  const { name, required, description } = parameter;
  const control = makeControl(parameter, value);
  const hint = h('p', { class: 'hint', id: `hint-${name}` }, description);
  if (control instanceof HTMLInputElement && parameter.example !== '') {
    hint.append(' ', exampleButton(parameter, control));
  }
  control.addEventListener('input', () => showError(name, undefined));
  return h(
    'div',
    { class: 'field' },
    h(
      'label',
      { for: `field-${name}` },
      name,
      ' ',
      h('span', { class: 'muted small' }, required ? 'required' : 'optional'),
    ),
    control,
    h('p', { class: 'field-error', id: `error-${name}`, hidden: true }),
    hint,
  );
}

function makeControl(parameter: Parameter, value: string | undefined): Control {
  const { name, required, example } = parameter;
  const attributes = {
    id: `field-${name}`,
    name,
    'aria-describedby': `error-${name} hint-${name}`,
    'aria-required': required ? 'true' : undefined,
  };
  const choices = parameter.allowedValues ?? parameter.enum;
  if (choices === undefined) {
    const input = h('input', {
      ...attributes,
      type: 'text',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      placeholder: example,
    });
    input.value = value ?? parameter.default ?? '';
    return input;
  }
  const preset = value ?? parameter.default ?? (required ? example : '');
  // A link may carry a value that is not listed: the service decides about it.
  const listed = preset === '' || choices.includes(preset) ? choices : [preset, ...choices];
  const optional = required || parameter.default !== undefined ? [] : [['', 'any'] as const];
  const select = h(
    'select',
    attributes,
    ...[...optional, ...listed.map((choice) => [choice, choice] as const)].map(([choice, text]) =>
      h('option', { value: choice }, text),
    ),
  );
  select.value = preset;
  return select;
}

function exampleButton({ name, example }: Parameter, input: HTMLInputElement): HTMLElement {
  const button = h(
    'button',
    { type: 'button', class: 'link', 'aria-label': `Use the example for ${name}` },
    'Use the example',
  );
  button.addEventListener('click', () => {
    input.value = example;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.focus();
  });
  return button;
}
