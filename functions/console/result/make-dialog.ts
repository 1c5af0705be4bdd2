// A dialog over the page. Esc, "Close" and a click on its backdrop close it.
import { h } from '../dom.ts';

/** Adds it to the element. `content` has an element with the id `CLASS-title`, which names the dialog. */
export function makeDialog(
  host: HTMLElement,
  className: string,
  content: readonly HTMLElement[],
  actions: readonly HTMLElement[],
): HTMLDialogElement {
  const close = h('button', { class: 'secondary', type: 'button' }, 'Close');
  const dialog = h(
    'dialog',
    { class: className, 'aria-labelledby': `${className}-title` },
    ...content,
    h('footer', {}, ...actions, close),
  );
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || target === close) dialog.close();
  });
  host.append(dialog);
  return dialog;
}
