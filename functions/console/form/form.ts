// The form for an endpoint's parameters.
import type { FieldViolation } from '../../core/errors.ts';
import { type Control, choicesOf, enter, makeControl, scalarOf } from './control.ts';
import { byId, h } from '../dom.ts';
import { boundsOf } from './bounds-of.ts';
import { listOf, startsEmpty } from './start-values.ts';
import { type Endpoint, type Parameter, type Parameters, isList } from '../service.ts';
import { makeCheckboxes, makeValueList } from './value-list.ts';

/** Makes the fields, filled with the given values; a parameter without one has its default. */
export function showFields(endpoint: Endpoint, values: Parameters): void {
  byId('fields').replaceChildren(
    ...endpoint.parameters.map((parameter) => field(parameter, values[parameter.name])),
  );
}

/** The values of the form; an empty field is an absent parameter. */
export function readFields(endpoint: Endpoint): Parameters {
  const data = new FormData(byId<HTMLFormElement>('form'));
  return Object.fromEntries(
    endpoint.parameters
      .map((parameter) => {
        const values = data.getAll(parameter.name).map(String);
        const given = values.filter((value) => value !== '');
        // Without a value, a list would be its default.
        const isEmptyList =
          isList(parameter) && parameter.default !== undefined && given.length === 0;
        return [parameter.name, isEmptyList ? [''] : given] as const;
      })
      .filter(([, given]) => given.length > 0),
  );
}

/** What a browser does not give out: a date of which only a part is entered. */
export function findIncomplete(endpoint: Endpoint): FieldViolation[] {
  return endpoint.parameters
    .filter(({ name }) => controlsOf(name).some(({ validity }) => validity.badInput))
    .map(({ name }) => ({ field: name, description: 'must be complete or empty' }));
}

/** What the form says in one line, where there is room for no more. */
export function lineOf(endpoint: Endpoint): string {
  const values = Object.values(readFields(endpoint)).map((given) => given.join(', '));
  return values.filter((value) => value !== '').join(' · ') || 'No parameters';
}

/** On a phone the fields are a sheet over the page. */
export function openSheet(isOpen: boolean): void {
  byId('sheet').setAttribute('aria-expanded', String(isOpen));
  byId('form').classList.toggle('open', isOpen);
}

/** Shows each violation beside its field and focuses the first; returns those without a field. */
export function showViolations(
  endpoint: Endpoint,
  violations: readonly FieldViolation[],
): FieldViolation[] {
  for (const { name } of endpoint.parameters) hideError(name);
  const names = endpoint.parameters.map(({ name }) => name);
  const ofFields = violations.filter((violation) => names.includes(violation.field));
  if (ofFields.length > 0) openSheet(true);
  const [first] = ofFields.map(showError);
  first?.focus();
  return violations.filter((violation) => !names.includes(violation.field));
}

function controlsOf(name: string): Control[] {
  return [...byId('fields').querySelectorAll<Control>(`[name="${name}"]`)];
}

/** Returns the control that is at fault: of a list, the one of the value that the violation names. */
function showError({ field, description }: FieldViolation): Control | undefined {
  const error = byId(`error-${field}`);
  error.textContent = `${field} ${description}.`;
  error.hidden = false;
  const controls = controlsOf(field);
  const given = controls.filter(isGiven);
  const position = /^value (\d+) /.exec(description)?.[1];
  const faulty =
    controls.find(({ validity }) => validity.badInput) ??
    (position === undefined ? undefined : given[Number(position) - 1]) ??
    controls[0];
  faulty?.setAttribute('aria-invalid', 'true');
  return faulty;
}

function hideError(name: string): void {
  byId(`error-${name}`).hidden = true;
  for (const control of controlsOf(name)) control.removeAttribute('aria-invalid');
}

function isGiven(control: Control): boolean {
  const isBox = control instanceof HTMLInputElement && control.type === 'checkbox';
  return isBox ? control.checked : control.value !== '';
}

function field(parameter: Parameter, given: readonly string[] | undefined): HTMLElement {
  const { name, required, description } = parameter;
  const title = required ? [name, ' ', h('span', { class: 'muted small' }, 'required')] : [name];
  const { element, useExample } = makeControls(parameter, given);
  const bounds = boundsOf(parameter);
  const hint = h('p', { class: 'hint', id: `hint-${name}` }, description, zoneHint(parameter));
  if (bounds !== '') hint.append(h('span', { class: 'bounds' }, bounds));
  if (useExample !== undefined && startsEmpty(parameter) && parameter.example.length > 0) {
    hint.append(' ', exampleButton(name, useExample));
  }
  const parts = [
    element,
    h('p', { class: 'field-error', id: `error-${name}`, hidden: true }),
    hint,
  ];
  const made = isList(parameter)
    ? h('fieldset', { class: 'field' }, h('legend', {}, ...title), ...parts)
    : h('div', { class: 'field' }, h('label', { for: `field-${name}` }, ...title), ...parts);
  made.addEventListener('input', () => hideError(name));
  return made;
}

/** `useExample` only where a value can be entered. */
function makeControls(
  parameter: Parameter,
  given: readonly string[] | undefined,
): { element: HTMLElement; useExample?: () => void } {
  const { name, required } = parameter;
  const [examples, preset] = [listOf(parameter.example), given ?? listOf(parameter.default)];
  const attributes = { 'aria-describedby': `error-${name} hint-${name}` };
  const hasChoices = choicesOf(parameter) !== undefined;
  if (isList(parameter)) {
    const boxes = makeCheckboxes(parameter, preset, attributes);
    if (boxes !== undefined) return { element: boxes };
    const { element, fill } = makeValueList(parameter, preset, attributes);
    return hasChoices ? { element } : { element, useExample: () => fill(examples) };
  }
  const control = makeControl(parameter, {
    id: `field-${name}`,
    name,
    ...attributes,
    'aria-required': required ? 'true' : undefined,
    value: preset[0] ?? '',
    none: startsEmpty(parameter) ? 'any' : undefined,
  });
  if (control instanceof HTMLSelectElement) return { element: control };
  return { element: control, useExample: () => enter(control, examples[0] ?? '') };
}

function zoneHint(parameter: Parameter): string {
  const scalar = scalarOf(parameter);
  if (scalar === 'TIMESTAMP') return ' With a time zone, such as Z or +01:00.';
  return scalar === 'DATETIME' ? ' Without a time zone.' : '';
}

function exampleButton(name: string, useExample: () => void): HTMLElement {
  const button = h(
    'button',
    { type: 'button', class: 'link', 'aria-label': `Use the example for ${name}` },
    'Use the example',
  );
  button.addEventListener('click', () => {
    useExample();
    const [control] = controlsOf(name);
    control?.dispatchEvent(new Event('input', { bubbles: true }));
    control?.focus();
  });
  return button;
}
