// Shows the whole text of a cell over the page, to read and to copy.
import { copyButton } from '../../copy-button.ts';
import { h } from '../../dom.ts';
import type { Endpoint } from '../../service.ts';
import { exactText } from './write-column.ts';

interface TextDialog {
  open: (column: Endpoint['row'][number], position: number, value: unknown) => void;
  close: () => void;
}

/** Adds the dialog to the element; `onClose` must return the focus. */
export function createTextDialog(host: HTMLElement, onClose: () => void): TextDialog {
  const title = h('h3', { id: 'text-title' });
  const facts = h('p', { class: 'muted small' });
  const text = h('pre', { tabindex: '0', 'aria-labelledby': 'text-title' });
  const copy = copyButton('Copy', text);
  const close = h('button', { class: 'secondary', type: 'button' }, 'Close');
  const dialog = h(
    'dialog',
    { class: 'cell-text', 'aria-labelledby': 'text-title' },
    h('header', {}, title, facts),
    text,
    h('footer', {}, copy, close),
  );
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => {
    // A click next to the dialog is on its backdrop.
    if (target === dialog) dialog.close();
  });
  dialog.addEventListener('close', onClose);
  host.append(dialog);
  return {
    open({ name, type, mode, unit }, position, value) {
      title.textContent = name;
      const written = mode === 'REPEATED' ? `ARRAY<${type}>` : type;
      facts.textContent = [written, unit ?? '', `row ${(position + 1).toLocaleString('en')}`]
        .filter((fact) => fact !== '')
        .join(' · ');
      text.textContent = wholeText(value);
      dialog.showModal();
      text.scrollTo(0, 0);
      copy.focus();
    },
    close: () => dialog.close(),
  };
}

function wholeText(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value, null, 2)
    : exactText(value);
}
