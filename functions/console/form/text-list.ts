// Creates the control of an ARRAY whose values are entered as text: one value a line, typed or pasted.
import { placeholderOf, scalarOf } from './control.ts';
import { h } from '../dom.ts';
import type { Parameter } from '../service.ts';
import { splitPasted, splitValues } from './split-values.ts';
import type { ValueControl } from './value-control.ts';

/** The same as in the service. */
export const ITEMS_MAX = 100;
const LINES_MAX = 6;

/** Undefined for values that such lines cannot show, such as one with a line break. */
export function makeTextList(
  parameter: Parameter,
  values: readonly string[],
  attributes: Record<string, string | undefined>,
): ValueControl | undefined {
  const { maxItems = ITEMS_MAX } = parameter;
  const scalar = scalarOf(parameter);
  const given = values.length === 1 && values[0] === '' ? [] : values;
  const lines = given.join('\n');
  if (JSON.stringify(splitValues(lines, scalar)) !== JSON.stringify(given)) return undefined;

  const area = h('textarea', {
    ...attributes,
    name: parameter.name,
    placeholder: placeholderOf(parameter),
    wrap: 'off',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  const count = h('span', {});
  const noteText = h('span', {});
  const noteButton = h('button', { type: 'button', class: 'link' });
  const note = h('p', { class: 'note', hidden: true }, noteText, ' ', noteButton);
  const read = (): string[] => splitValues(area.value, scalar);
  /** The text if a paste had not been split. */
  let joined: string | undefined;
  area.addEventListener('paste', paste);
  area.addEventListener('input', () => {
    joined = undefined;
    show();
  });
  area.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) area.form?.requestSubmit();
  });
  noteButton.addEventListener('click', () => {
    setText(joined ?? splitPasted(area.value, scalar).join('\n'));
    area.focus();
  });
  area.value = lines;
  show();
  return {
    element: h('div', { class: 'text-list' }, area, note),
    besideName: count,
    read,
    fill: (values) => setText(values.join('\n')),
    fault,
    at: select,
  };

  function setText(text: string): void {
    area.value = text;
    area.dispatchEvent(new Event('input', { bubbles: true }));
  }

  function show(): void {
    const { length } = read();
    area.rows = Math.min(Math.max(area.value.split('\n').length, 1), LINES_MAX);
    count.textContent = countOf(length);
    const isOne = scalar === 'STRING' && length === 1 && splitPasted(area.value, scalar).length > 1;
    note.hidden = !isOne && joined === undefined;
    if (note.hidden) return;
    noteText.textContent = isOne ? 'This is one value.' : 'Each part is a value.';
    noteButton.textContent = isOne ? 'Split it' : 'Keep as one value';
  }

  function countOf(length: number): string {
    if (length === 0)
      return parameter.maxItems === undefined ? 'a list' : `up to ${maxItems} values`;
    if (parameter.maxItems !== undefined) return `${length} of up to ${maxItems}`;
    return length === 1 ? '1 value' : `${length} values`;
  }

  function paste(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const parts = splitPasted(text, scalar);
    if (parts.length < 2) return;
    event.preventDefault();
    const before = area.value.slice(0, area.selectionStart);
    const after = area.value.slice(area.selectionEnd);
    const isOneLine = !/[\t\r\n]/.test(text.trim());
    const lead = before === '' || before.endsWith('\n') ? '' : '\n';
    const tail = after === '' || after.startsWith('\n') ? '' : '\n';
    insert(lead + parts.join('\n') + tail);
    if (scalar !== 'STRING' || !isOneLine) return;
    joined = before + text.trim() + after;
    show();
  }

  /** As if it were typed, so that the browser can undo it. */
  function insert(text: string): void {
    // The only way to insert text that undo knows; without it the text is set.
    if (document.execCommand('insertText', false, text)) return;
    area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
    area.dispatchEvent(new Event('input', { bubbles: true }));
  }

  function fault(): string | undefined {
    const extra = read().length - maxItems;
    if (extra <= 0) return undefined;
    return `has ${read().length} values and takes at most ${maxItems}: remove ${extra}`;
  }

  /** Selects the value at fault. */
  function select(position?: number): HTMLElement {
    if (position === undefined) return area;
    const separator = scalar === 'STRING' ? /[^\r\n]+/g : /[^,;\t\r\n]+/g;
    const parts = [...area.value.matchAll(separator)].filter(([part]) => part.trim() !== '');
    const part = parts[position - 1];
    if (part !== undefined) area.setSelectionRange(part.index, part.index + part[0].length);
    return area;
  }
}
