// Shows the whole value of a cell over the page, to read, to copy and to filter by.
import { copyButton } from '../../copy-button.ts';
import { h } from '../../dom.ts';
import { makeDialog } from '../make-dialog.ts';
import type { Filter } from '../filter/filter-rows.ts';
import type { Endpoint } from '../../service.ts';
import { isContainer } from '../nested/parts-of.ts';
import { valueTree } from '../nested/value-tree.ts';
import { exactText } from './write-column.ts';

interface TextDialog {
  open: (column: Endpoint['row'][number], position: number, value: unknown) => void;
  close: () => void;
}

interface DialogOptions {
  /** Called with a filter that keeps the rows with this value, and no others. */
  onFilter: (filter: Filter) => void;
  /** Must return the focus. */
  onClose: () => void;
}

/** Adds the dialog to the element. */
export function createTextDialog(
  host: HTMLElement,
  { onFilter, onClose }: DialogOptions,
): TextDialog {
  let [column, opened]: [string, unknown] = ['', undefined];
  const title = h('h3', { id: 'cell-text-title' });
  const facts = h('p', { class: 'muted small' });
  const text = h('pre', { tabindex: '0', 'aria-labelledby': 'cell-text-title' });
  const copy = copyButton('Copy', text, () => wholeText(opened));
  const only = h('button', { class: 'secondary', type: 'button' }, 'Only this value');
  only.addEventListener('click', () => {
    dialog.close();
    const exact = JSON.stringify(opened ?? null);
    onFilter({ column, text: exactText(opened), isWhole: true, exact });
  });
  const header = h('header', {}, title, facts);
  const dialog = makeDialog(host, 'cell-text', [header, text], [only, copy]);
  dialog.addEventListener('close', onClose);
  return {
    open({ name, type, mode, unit }, position, value) {
      title.textContent = name;
      const written = mode === 'REPEATED' ? `ARRAY<${type}>` : type;
      facts.textContent = [written, unit ?? '', `row ${(position + 1).toLocaleString('en')}`]
        .filter((fact) => fact !== '')
        .join(' · ');
      [column, opened] = [name, value];
      if (isContainer(value)) text.replaceChildren(valueTree(value));
      else text.textContent = wholeText(value);
      dialog.showModal();
      text.scrollTo(0, 0);
      copy.focus();
    },
    close: () => dialog.close(),
  };
}

function wholeText(value: unknown): string {
  return isContainer(value) ? JSON.stringify(value, null, 2) : exactText(value);
}
