// The line above the table in which a filter is typed.
import { h } from '../../dom.ts';
import type { Filter } from './filter-rows.ts';

interface FilterBar {
  element: HTMLElement;
  /** The columns to choose from, the filter, and how many rows it keeps. */
  show: (columns: readonly string[], filter: Filter | undefined, count: string) => void;
  focus: () => void;
}

/** Typed text is applied after a pause this long. */
const PAUSE_MS = 150;

/** Without a filter, the bar is not shown. */
export function createFilterBar(onFilter: (filter: Filter | undefined) => void): FilterBar {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let names = '';
  const column = h('select', { 'aria-label': 'Column to filter by' });
  const text = h('input', {
    ...{
      type: 'text',
      'aria-label': 'Text to filter by',
      placeholder: 'Text, or > 5 for a number',
    },
    ...{ autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'search' },
  });
  const isWhole = h('input', { type: 'checkbox' });
  const count = h('span', { class: 'muted small' });
  const clear = h('button', { type: 'button', class: 'quiet' }, 'Clear');
  const element = h(
    'div',
    { class: 'filter-bar', id: 'filter-bar', role: 'search', 'aria-label': 'Rows', hidden: true },
    ...[column, text, h('label', { class: 'check' }, isWhole, 'only this value'), count, clear],
  );
  const apply = (): void => {
    clearTimeout(timer);
    onFilter({ column: column.value, text: text.value, isWhole: isWhole.checked });
  };
  text.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(apply, PAUSE_MS);
  });
  column.addEventListener('change', apply);
  isWhole.addEventListener('change', apply);
  clear.addEventListener('click', end);
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target === text) apply();
    if (event.key !== 'Escape') return;
    event.preventDefault();
    end();
  });
  return {
    element,
    focus: () => text.focus(),
    show(columns, filter, shown) {
      element.hidden = filter === undefined;
      count.textContent = shown;
      if (names !== columns.join()) {
        names = columns.join();
        column.replaceChildren(
          h('option', { value: '' }, 'any column'),
          ...columns.map((name) => h('option', { value: name }, name)),
        );
      }
      column.value = filter?.column ?? '';
      isWhole.checked = filter?.isWhole ?? false;
      // What is typed in the meantime stays.
      if (document.activeElement !== text) text.value = filter?.text ?? '';
    },
  };

  function end(): void {
    clearTimeout(timer);
    onFilter(undefined);
  }
}
