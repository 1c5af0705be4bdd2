// The form for an endpoint's parameters.
import type { FieldViolation } from '../../core/errors.ts';
import { asSentence, boundsOf, sizeOf } from './bounds-of.ts';
import { choicesOf, makeInput, scalarOf } from './control.ts';
import { byId, h } from '../dom.ts';
import { queryZoneOf } from './bucket-of.ts';
import { dayZoneOf } from './day-zone.ts';
import { groupRanges } from './group-ranges.ts';
import { makeRangeSelect } from './range.ts';
import { listOf, startsEmpty, valuesOf } from './start-values.ts';
import { parseStep } from '../chart/plan/step.ts';
import { type Endpoint, type Parameter, type Parameters, isList } from '../service.ts';
import { makeSwitch } from './switch.ts';
import { makeTextList } from './text-list.ts';
import { makeTimestamp } from './timestamp.ts';
import { makeCheckboxes, makeValueList } from './value-list.ts';
import type { ValueControl } from './value-control.ts';

/** The controls on the page, by the name of the parameter. */
const controls = new Map<string, ValueControl>();
/** They show what the ranges of the page are. */
const ranges: (() => void)[] = [];

/**
 * Creates the fields, filled with the given values; a parameter without one has its default. `zone` is the IANA name of
 * that of the page.
 */
export function showFields(endpoint: Endpoint, values: Parameters, zone: () => string): void {
  controls.clear();
  ranges.length = 0;
  byId('form').style.removeProperty('--hint');
  byId('fields').replaceChildren(
    ...groupRanges(endpoint.parameters).map(([first, last]) => {
      const fields = [first, ...(last === undefined ? [] : [last])].map((parameter) => {
        const control = makeControls(parameter, values, zone);
        controls.set(parameter.name, control);
        return field(parameter, control);
      });
      if (last === undefined) return fields[0] as HTMLElement;
      return range(endpoint, [first, last], fields, zone);
    }),
  );
  showRanges();
}

/** Has to be called after each change of a value, and of the zone of the page. */
export function showRanges(): void {
  for (const show of ranges) show();
}

/** The required parameters that have no value. */
export function findMissing({ parameters }: Endpoint): string[] {
  return parameters
    .filter((one) => one.required && one.default === undefined && givenOf(one.name).length === 0)
    .map(({ name }) => name);
}

export function focusField(name: string | undefined): void {
  if (name === undefined) return;
  openSheet(true);
  controls.get(name)?.at().focus();
}

/** The values of the form; an empty field is an absent parameter. */
export function readFields(endpoint: Endpoint): Parameters {
  return Object.fromEntries(
    endpoint.parameters
      .map((parameter) => {
        const given = givenOf(parameter.name);
        // A list without a value would become its default.
        const isEmptyList =
          isList(parameter) && parameter.default !== undefined && given.length === 0;
        return [parameter.name, isEmptyList ? [''] : given] as const;
      })
      .filter(([, given]) => given.length > 0),
  );
}

/** What cannot be sent as it is: a part of a date, or too long a list. */
export function findIncomplete(endpoint: Endpoint): FieldViolation[] {
  return endpoint.parameters.flatMap(({ name }) => {
    const fault = controls.get(name)?.fault?.();
    return fault === undefined ? [] : [{ field: name, description: fault }];
  });
}

/** The values of the form in one line, if there is no room for more. */
export function lineOf(endpoint: Endpoint): string {
  const parts = groupRanges(endpoint.parameters).map(([first, last]) => {
    const given = givenOf(first.name).join(', ');
    if (last !== undefined) {
      const end = givenOf(last.name).join();
      return given === '' && end === '' ? '' : `${given} – ${end}`;
    }
    return scalarOf(first) === 'BOOL' && given !== '' ? `${first.name} ${given}` : given;
  });
  return (
    parts.filter((part) => part !== '').join(' · ') ||
    (parts.length === 0 ? 'No parameters' : 'No values')
  );
}

/** On a phone the fields are a sheet over the page. */
export function openSheet(isOpen: boolean): void {
  byId('sheet').setAttribute('aria-expanded', String(isOpen));
  byId('form').classList.toggle('open', isOpen);
}

/** Shows each violation next to its field and focuses the first; returns those without a field. */
export function showViolations(
  endpoint: Endpoint,
  violations: readonly FieldViolation[],
): FieldViolation[] {
  const names = endpoint.parameters.map(({ name }) => name);
  for (const name of names) hideError(name);
  const ofFields = violations.filter((violation) => names.includes(violation.field));
  if (ofFields.length > 0) openSheet(true);
  const faulty = new Map(ofFields.map((violation) => [violation.field, showError(violation)]));
  // In the order of the page, in which the ends of a range are together.
  const first = [...controls.keys()].find((name) => faulty.has(name));
  if (first !== undefined) faulty.get(first)?.focus();
  return violations.filter((violation) => !names.includes(violation.field));
}

function givenOf(name: string): string[] {
  return (controls.get(name)?.read() ?? []).filter((value) => value !== '');
}

/** Returns the element at fault: for a list, the control of the value that the violation names. */
function showError({ field, description }: FieldViolation): HTMLElement | undefined {
  const error = byId(`error-${field}`);
  // The name of the field is above it.
  error.textContent = asSentence(description);
  error.hidden = false;
  const position = /^value (\d+) /.exec(description)?.[1];
  const faulty = controls.get(field)?.at(position === undefined ? undefined : Number(position));
  // A radio button is not invalid, its group is.
  const marked = faulty?.closest('[role=radiogroup]') ?? faulty;
  marked?.setAttribute('aria-invalid', 'true');
  return faulty;
}

function hideError(name: string): void {
  byId(`error-${name}`).hidden = true;
  for (const marked of controls
    .get(name)
    ?.element.parentElement?.querySelectorAll('[aria-invalid]') ?? [])
    marked.removeAttribute('aria-invalid');
}

function field(parameter: Parameter, control: ValueControl): HTMLElement {
  const { name, required, description } = parameter;
  const { element, isGroup = false, fill } = control;
  const size = sizeOf(parameter);
  const beside =
    control.besideName ?? (size === '' || isList(parameter) ? undefined : h('span', {}, size));
  beside?.classList.add('beside-name');
  // The hint has it too.
  beside?.setAttribute('aria-hidden', 'true');
  const title = [
    name,
    ...(required ? [' ', h('span', { class: 'muted small' }, 'required')] : []),
    ...(beside === undefined ? [] : [' ', beside]),
  ];
  const bounds = boundsOf(parameter);
  const meaning = asSentence(description) + zoneHint(parameter);
  const hint = h('p', { class: 'hint', id: `hint-${name}` }, meaning);
  if (bounds !== '') hint.append(h('span', { class: 'bounds' }, ` ${bounds}`));
  if (fill !== undefined && startsEmpty(parameter) && parameter.example.length > 0) {
    hint.append(' ', exampleButton(parameter, control));
  }
  const parts = [
    element,
    h('p', { class: 'field-error', id: `error-${name}`, hidden: true }),
    hint,
  ];
  const made = isGroup
    ? h('fieldset', { class: 'field' }, h('legend', {}, ...title), ...parts)
    : h('div', { class: 'field' }, h('label', { for: `field-${name}` }, ...title), ...parts);
  made.addEventListener('input', () => hideError(name));
  for (const event of ['focusin', 'pointerenter']) {
    made.addEventListener(event, () => makeRoom(hint));
  }
  return made;
}

/** For a hint of several lines, which would cover the tabs. The room stays, so that a tab does not move while it is clicked. */
function makeRoom(hint: HTMLElement): void {
  const { style } = byId('form');
  const height = Math.max(hint.offsetHeight, parseFloat(style.getPropertyValue('--hint')) || 0);
  style.setProperty('--hint', `${height}px`);
}

function makeControls(parameter: Parameter, given: Parameters, zone: () => string): ValueControl {
  const { name, required } = parameter;
  const values = Object.hasOwn(given, name) ? valuesOf(given, name) : listOf(parameter.default);
  const described = { 'aria-describedby': `error-${name} hint-${name}` };
  const attributes = {
    ...described,
    id: `field-${name}`,
    'aria-required': required ? 'true' : undefined,
  };
  const isFree = choicesOf(parameter) === undefined;
  if (isList(parameter)) {
    return (
      makeCheckboxes(parameter, values, described) ??
      (isFree ? makeTextList(parameter, values, attributes) : undefined) ??
      makeValueList(parameter, values, described)
    );
  }
  const [value = ''] = values;
  const none = startsEmpty(parameter) ? 'not set' : undefined;
  const options = { ...attributes, name, value };
  if (parameter.type === 'TIMESTAMP' && isFree) {
    return makeTimestamp(parameter, { ...options, zone: zone() });
  }
  const made = parameter.type === 'BOOL' ? makeSwitch(parameter, value, attributes) : undefined;
  return made ?? makeInput(parameter, { ...options, none });
}

/** Two fields, and a choice of the usual ranges. */
function range(
  endpoint: Endpoint,
  ends: readonly [Parameter, Parameter],
  fields: readonly HTMLElement[],
  zone: () => string,
): HTMLElement {
  const [{ name, type }, { name: lastName }] = ends;
  const [from, to] = [controls.get(name), controls.get(lastName)] as [ValueControl, ValueControl];
  const { element, show } = makeRangeSelect({
    ...{ name: name.replace(/^from_?/, '') || 'time', type, from, to, shownZone: zone },
    zone: () => {
      const given = readFields(endpoint);
      const name = dayZoneOf(type, endpoint, given) ?? from.zone?.() ?? 'UTC';
      return { name, isKnown: queryZoneOf(endpoint, given) !== undefined };
    },
    without: ends.every(startsEmpty) ? withoutRange(endpoint) : undefined,
  });
  ranges.push(show);
  const label = `${name} to ${lastName}`;
  return h('div', { class: 'range', role: 'group', 'aria-label': label }, ...fields, element);
}

/** The rows of an endpoint that is asked for no range. */
function withoutRange({ bucket }: Endpoint): string {
  const window = typeof bucket?.window === 'string' ? parseStep(bucket.window) : undefined;
  if (window === undefined) return 'the endpoint’s default';
  const { count, unit } = window;
  return `default: the last ${count === 1 ? unit : `${count} ${unit}s`}`;
}

function zoneHint(parameter: Parameter): string {
  const scalar = scalarOf(parameter);
  if (scalar === 'TIMESTAMP' && isList(parameter)) return ' With a time zone, such as Z or +01:00.';
  return scalar === 'DATETIME' ? ' Without a time zone.' : '';
}

function exampleButton(parameter: Parameter, { fill, at }: ValueControl): HTMLElement {
  const button = h(
    'button',
    { type: 'button', class: 'link', 'aria-label': `Use the example for ${parameter.name}` },
    'Use the example',
  );
  button.addEventListener('click', () => {
    fill?.(listOf(parameter.example));
    at().dispatchEvent(new Event('input', { bubbles: true }));
    at().focus();
  });
  return button;
}
