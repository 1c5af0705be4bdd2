// Creates the controls for the values of an ARRAY: checkboxes where there are choices, or one for each value.
import { type Control, choicesOf, makeControl } from './control.ts';
import { h } from '../dom.ts';
import type { Parameter } from '../service.ts';
import { ITEMS_MAX } from './text-list.ts';
import type { ValueControl } from './value-control.ts';

interface Item {
  control: Control;
  remove: HTMLElement;
  row: HTMLElement;
}

/** Undefined without choices, and for values that checkboxes cannot represent: unlisted, repeated, in another order. */
export function makeCheckboxes(
  parameter: Parameter,
  values: readonly string[],
  attributes: Record<string, string>,
): ValueControl | undefined {
  const choices = choicesOf(parameter) ?? [];
  const checked = choices.filter((choice) => values.includes(choice));
  const wanted = values.filter((value) => value !== '');
  if (choices.length === 0 || JSON.stringify(checked) !== JSON.stringify(wanted)) return undefined;
  const { name } = parameter;
  const boxes = choices.map((value) => {
    const isChecked = checked.includes(value);
    const box = h('input', { type: 'checkbox', name, value, checked: isChecked, ...attributes });
    return { box, label: h('label', { class: 'check' }, box, value) };
  });
  const element = h('div', { class: 'choices' }, ...boxes.map(({ label }) => label));
  const given = (): HTMLInputElement[] => boxes.map(({ box }) => box).filter((box) => box.checked);
  return {
    element,
    isGroup: true,
    read: () => given().map(({ value }) => value),
    at: (position = 1) => given()[position - 1] ?? boxes[0]?.box ?? element,
  };
}

/** For what checkboxes and lines of text cannot show. At least one control; the focus stays in the list when values are added and removed. */
export function makeValueList(
  parameter: Parameter,
  values: readonly string[],
  attributes: Record<string, string>,
): ValueControl {
  const { name, maxItems = ITEMS_MAX } = parameter;
  const items: Item[] = [];
  const list = h('ul', { class: 'values' });
  const add = h('button', { type: 'button', class: 'link' }, 'Add a value');
  add.setAttribute('aria-label', `Add a value to ${name}`);
  add.addEventListener('click', () => {
    const { control } = append('');
    tellChange();
    control.focus();
  });
  fill(values);
  const read = (): string[] => items.map(({ control }) => control.value);
  const at = (position = 1): HTMLElement => {
    const given = items.filter(({ control }) => control.value !== '');
    return (given[position - 1] ?? items[0])?.control ?? add;
  };
  return { element: h('div', {}, list, add), isGroup: true, read, fill, at };

  function fill(values: readonly string[]): void {
    for (const { row } of items.splice(0)) row.remove();
    for (const value of values.length === 0 ? [''] : values) append(value);
    tellChange();
  }

  function append(value: string): Item {
    const control = makeControl(parameter, { value, none: '–', name, ...attributes });
    const remove = h('button', { type: 'button', class: 'secondary' }, 'Remove');
    const item = { control, remove, row: h('li', {}, control, remove) };
    remove.addEventListener('click', () => {
      const index = items.indexOf(item);
      items.splice(index, 1);
      item.row.remove();
      if (items.length === 0) append('');
      tellChange();
      items[Math.min(index, items.length - 1)]?.control.focus();
    });
    items.push(item);
    list.append(item.row);
    return item;
  }

  /** Numbers the values, and notifies the form. */
  function tellChange(): void {
    for (const [index, { control, remove }] of items.entries()) {
      const position = index + 1;
      control.id = `field-${name}-${position}`;
      control.setAttribute('aria-label', `${name}, value ${position}`);
      remove.setAttribute('aria-label', `Remove value ${position} of ${name}`);
    }
    add.disabled = items.length >= maxItems;
    list.dispatchEvent(new Event('input', { bubbles: true }));
  }
}
