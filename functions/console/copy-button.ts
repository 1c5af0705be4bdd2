// Creates buttons that copy a text.
import { copyText } from './copy-text.ts';
import { byId, h } from './dom.ts';

const TOLD_MS = 2000;

/** Copies the text of the element, or the text that `textOf` returns. */
export function copyButton(
  label: string,
  element: HTMLElement,
  textOf = (): string => element.textContent ?? '',
): HTMLButtonElement {
  const button = h('button', { type: 'button', class: 'secondary' }, label);
  button.addEventListener('click', () => {
    void copyText(element, textOf()).then((isCopied) => {
      button.textContent = isCopied ? 'Copied' : 'Selected, now copy';
      byId('status').textContent = isCopied ? 'Copied.' : 'Not copied: the text is selected.';
      setTimeout(() => (button.textContent = label), TOLD_MS);
    });
  });
  return button;
}
