// A dialog in which the reader chooses the series that a chart draws.
import { h } from '../dom.ts';
import { type Theme, colourOf } from './drawing/paint.ts';
import type { Choice } from './plan/chart-plan.ts';
import { CHOSEN_MAX } from './plan/choose-series.ts';

export interface SeriesDialog {
  open: () => void;
  /** Shows what there is to choose from now; closes without a choice. */
  show: (choice: Choice | undefined, theme?: Theme) => void;
}

/** `onChoose` gets names; none if the chart is to choose. */
export function createSeriesDialog(
  host: HTMLElement,
  onChoose: (names: readonly string[]) => void,
): SeriesDialog {
  let boxes: { item: HTMLElement; box: HTMLInputElement; name: string; swatch: HTMLElement }[] = [];
  let names: readonly string[] = [];
  const find = h('input', { type: 'search', 'aria-label': 'Find a series', placeholder: 'Find' });
  const list = h('ul', {});
  const note = h('p', { class: 'muted small', role: 'status' });
  const automatic = h('button', { class: 'secondary', type: 'button' }, 'Automatic');
  const close = h('button', { class: 'secondary', type: 'button' }, 'Close');
  const dialog = h(
    'dialog',
    { class: 'series-dialog', 'aria-labelledby': 'series-title' },
    ...[h('h3', { id: 'series-title' }, 'Series of the chart'), find, list, note],
    h('footer', {}, automatic, close),
  );
  host.append(dialog);
  find.addEventListener('input', filter);
  automatic.addEventListener('click', () => onChoose([]));
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  // The button that opened the dialog may be another one now.
  dialog.addEventListener('close', () => document.getElementById('choose-series')?.focus());
  return {
    open() {
      find.value = '';
      filter();
      dialog.showModal();
    },
    show(choice, theme) {
      if (choice === undefined || theme === undefined) {
        dialog.close();
        return;
      }
      const { series, label } = choice;
      const isSame =
        series.length === names.length && series.every(({ name }, at) => name === names[at]);
      // In place, so that what has the focus keeps it.
      if (!isSame) {
        names = series.map(({ name }) => name);
        boxes = names.map(rowOf);
        list.replaceChildren(...boxes.map(({ item }) => item));
      }
      const drawn = series.filter(({ colour }) => colour !== undefined).length;
      boxes.forEach(({ item, box, swatch }, at) => {
        const { colour, value = '' } = series[at] ?? {};
        box.checked = colour !== undefined;
        box.disabled = drawn === (box.checked ? 1 : CHOSEN_MAX);
        swatch.style.background = colour === undefined ? 'none' : colourOf(colour, theme);
        item.querySelector('b')?.replaceChildren(value);
      });
      note.textContent = `${drawn} of ${series.length} are drawn, at most ${CHOSEN_MAX}. Numbers: ${label}.`;
      filter();
    },
  };

  function rowOf(name: string): (typeof boxes)[number] {
    const box = h('input', { type: 'checkbox' });
    box.addEventListener('change', () =>
      onChoose(boxes.flatMap((each) => (each.box.checked ? each.name : []))),
    );
    const swatch = h('span', { class: 'swatch' });
    const text = h('span', { class: 'name' }, name);
    const item = h('li', {}, h('label', { class: 'check' }, box, swatch, text, h('b')));
    return { item, box, name, swatch };
  }

  function filter(): void {
    const typed = find.value.trim().toLowerCase();
    for (const { item, name } of boxes) item.hidden = !name.toLowerCase().includes(typed);
  }
}
