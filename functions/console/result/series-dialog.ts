// A dialog in which the reader chooses the series that a chart draws.
import { type Theme, colourOf } from '../chart/drawing/paint.ts';
import type { Choice } from '../chart/plan/chart-plan.ts';
import { CHOSEN_MAX } from '../chart/plan/choose-series.ts';
import { h } from '../dom.ts';

interface SeriesDialog {
  /** Opens it; hidden without a choice. */
  button: HTMLElement;
  /** Shows what there is to choose from now. */
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
  const button = h(
    'button',
    { class: 'quiet', type: 'button', id: 'choose-series', 'aria-haspopup': 'dialog' },
    'Series',
  );
  host.append(dialog);
  button.addEventListener('click', open);
  find.addEventListener('input', filter);
  automatic.addEventListener('click', () => onChoose([]));
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  return {
    button,
    show(choice, theme) {
      button.hidden = choice === undefined;
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

  function open(): void {
    find.value = '';
    filter();
    // What is drawn is in front when it opens, and nothing moves afterwards.
    const drawn = boxes.filter(({ box }) => box.checked);
    const others = boxes.filter(({ box }) => !box.checked);
    list.replaceChildren(...[...drawn, ...others].map(({ item }) => item));
    dialog.showModal();
  }

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
