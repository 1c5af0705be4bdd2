// A dialog in which the reader chooses the series that a chart draws.
import type { Choice } from '../chart/plan/chart-plan.ts';
import { CHOSEN_MAX } from '../chart/plan/choose-series.ts';
import { colourOf } from '../chart/theme.ts';
import { h } from '../dom.ts';
import { makeDialog } from './make-dialog.ts';
import { readTheme } from './read-theme.ts';

interface SeriesDialog {
  /** Opens it; hidden without a choice. */
  button: HTMLElement;
  /** What there is to choose from now. */
  show: (choice: Choice | undefined) => void;
}

interface Row {
  name: string;
  item: HTMLElement;
  box: HTMLInputElement;
  swatch: HTMLElement;
  value: HTMLElement;
}

/** `onChoose` gets names; none if the chart is to choose. */
export function createSeriesDialog(
  host: HTMLElement,
  onChoose: (names: readonly string[]) => void,
): SeriesDialog {
  let choice: Choice = { label: '', series: [] };
  let rows: Row[] = [];
  const find = h('input', { type: 'search', 'aria-label': 'Find a series', placeholder: 'Find' });
  const list = h('ul', {});
  const note = h('p', { class: 'muted small', role: 'status' });
  const automatic = h('button', { class: 'secondary', type: 'button' }, 'Automatic');
  const title = h('h3', { id: 'series-dialog-title' }, 'Series of the chart');
  const dialog = makeDialog(host, 'series-dialog', [title, find, list, note], [automatic]);
  const button = h(
    'button',
    { class: 'quiet', type: 'button', id: 'choose-series', 'aria-haspopup': 'dialog' },
    'Series',
  );
  button.addEventListener('click', open);
  find.addEventListener('input', filter);
  automatic.addEventListener('click', () => onChoose([]));
  return {
    button,
    show(next = { label: '', series: [] }) {
      const { series } = next;
      button.hidden = series.length === 0;
      if (button.hidden) dialog.close();
      choice = next;
      if (dialog.open) draw();
      else {
        // Made when it opens, and not left for the next key.
        list.replaceChildren();
        note.textContent = '';
      }
    },
  };

  function open(): void {
    rows = [];
    draw();
    find.value = '';
    filter();
    // What is drawn is in front when it opens, and nothing moves afterwards.
    const drawn = rows.filter(({ box }) => box.checked);
    const others = rows.filter(({ box }) => !box.checked);
    list.replaceChildren(...[...drawn, ...others].map(({ item }) => item));
    dialog.showModal();
  }

  function draw(): void {
    const { label, series } = choice;
    const theme = readTheme(host);
    const drawn = series.filter(({ colour }) => colour !== undefined).length;
    // In place while they are the same, so that what has the focus keeps it.
    if (series.length !== rows.length || series.some(({ name }, at) => name !== rows[at]?.name)) {
      rows = series.map(({ name }) => rowOf(name));
      list.replaceChildren(...rows.map(({ item }) => item));
    }
    rows.forEach(({ box, swatch, value }, at) => {
      const { colour, value: text = '' } = series[at] ?? {};
      box.checked = colour !== undefined;
      box.disabled = drawn === (box.checked ? 1 : CHOSEN_MAX);
      swatch.style.background = colour === undefined ? 'none' : colourOf(colour, theme);
      value.textContent = text;
    });
    note.textContent = `${drawn} of ${series.length} are drawn, at most ${CHOSEN_MAX}. Numbers: ${label}.`;
  }

  function rowOf(name: string): Row {
    const box = h('input', { type: 'checkbox' });
    box.addEventListener('change', () =>
      onChoose(rows.flatMap((row) => (row.box.checked ? row.name : []))),
    );
    const swatch = h('span', { class: 'swatch' });
    const value = h('b');
    const text = h('span', { class: 'name' }, name);
    const item = h('li', {}, h('label', { class: 'check' }, box, swatch, text, value));
    return { name, item, box, swatch, value };
  }

  function filter(): void {
    const typed = find.value.trim().toLowerCase();
    for (const { item, name } of rows) item.hidden = !name.toLowerCase().includes(typed);
  }
}
