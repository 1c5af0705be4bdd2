// A dialog in which columns are hidden, shown and put in another order, by pointer and by keyboard.
import { h } from '../../dom.ts';
import { makeDialog } from '../make-dialog.ts';
import type { Endpoint } from '../../service.ts';
import {
  type Arrangement,
  UNARRANGED,
  isUnarranged,
  moveColumn,
  orderColumns,
  toggleColumn,
  visibleColumns,
} from './arrange-columns.ts';

interface ArrangeDialog {
  open: () => void;
  /** Shows the columns as they are now. */
  show: (columns: Endpoint['row'], arrangement: Arrangement) => void;
  close: () => void;
}

export function createArrangeDialog(
  host: HTMLElement,
  onArrange: (arrangement: Arrangement) => void,
): ArrangeDialog {
  let columns: Endpoint['row'] = [];
  let arrangement = UNARRANGED;
  const list = h('ul', {});
  const restore = h(
    'button',
    { class: 'secondary', type: 'button', id: 'arrange-restore' },
    'Restore',
  );
  const title = h('h3', { id: 'arrange-columns-title' }, 'Columns of the table');
  const hint = h(
    'p',
    { class: 'muted small' },
    'In the table: drag a header, or press Shift and an arrow key on it. Delete hides it.',
  );
  const dialog = makeDialog(host, 'arrange-columns', [title, list, hint], [restore]);
  restore.addEventListener('click', () => onArrange(UNARRANGED));
  return {
    open() {
      dialog.showModal();
      draw();
      dialog.querySelector('input')?.focus();
    },
    close: () => dialog.close(),
    show(nextColumns, next) {
      columns = nextColumns;
      arrangement = next;
      if (dialog.open) draw();
    },
  };

  function draw(): void {
    const focused = dialog.contains(document.activeElement) ? document.activeElement?.id : '';
    const ordered = orderColumns(columns, arrangement);
    const visible = visibleColumns(columns, arrangement);
    list.replaceChildren(
      ...ordered.map((column, index) =>
        item(column, {
          isVisible: visible.includes(column),
          isLast: visible.length === 1,
          before: [ordered[index - 1]?.name, ordered[index + 2]?.name],
          place: [index, ordered.length],
        }),
      ),
    );
    restore.disabled = isUnarranged(arrangement);
    focus(focused ?? '');
  }

  interface Place {
    isVisible: boolean;
    isLast: boolean;
    /** The columns to move it before: one up, one down. */
    before: [string | undefined, string | undefined];
    place: [index: number, count: number];
  }

  function item(
    { name, unit }: Endpoint['row'][number],
    { isVisible, isLast, before: [above, below], place: [index, count] }: Place,
  ): HTMLElement {
    const box = h('input', {
      ...{ type: 'checkbox', id: `arrange-show-${name}`, checked: isVisible },
      disabled: isVisible && isLast,
    });
    box.addEventListener('change', () => onArrange(toggleColumn(columns, arrangement, name)));
    const mover = (way: 'up' | 'down', before: string | undefined): HTMLElement => {
      const button = h(
        'button',
        {
          ...{ class: 'quiet', type: 'button', id: `arrange-${way}-${name}` },
          'aria-label': `Move ${name} ${way}`,
          disabled: way === 'up' ? index === 0 : index === count - 1,
        },
        way === 'up' ? '↑' : '↓',
      );
      button.addEventListener('click', () =>
        onArrange(moveColumn(columns, arrangement, name, before)),
      );
      return button;
    };
    const label = h('label', { class: 'check', for: box.id }, box, h('span', {}, name));
    if (unit !== undefined) label.append(h('span', { class: 'muted' }, unit));
    return h('li', {}, label, mover('up', above), mover('down', below));
  }

  /** The element with this id was replaced; if it is disabled now, the button next to it gets the focus. */
  function focus(id: string): void {
    const element = document.getElementById(id);
    if (element?.matches(':enabled')) element.focus();
    else element?.parentElement?.querySelector<HTMLElement>('button:enabled')?.focus();
  }
}
