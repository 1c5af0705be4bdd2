// Shows what went wrong and what to do, with an error id that can be copied.
import { byId, h } from './dom.ts';
import { copyText } from './copy-text.ts';
import type { Store } from './store.ts';

export function createProblem(store: Store): void {
  store.listen(['problem'], ({ problem }) => {
    const box = byId('problem');
    box.hidden = problem === undefined;
    if (problem === undefined) {
      box.replaceChildren();
      return;
    }
    const { title, text, errorId, isCalm = false } = problem;
    box.classList.toggle('calm', isCalm);
    box.replaceChildren(h('strong', {}, title), h('p', {}, text));
    if (errorId === undefined) return;
    const id = h('code', { id: 'error-id' }, errorId);
    const button = h('button', { type: 'button', class: 'secondary' }, 'Copy error id');
    button.addEventListener('click', () => {
      void copyText(id).then((isCopied) => {
        button.textContent = isCopied ? 'Copied' : 'Marked, now copy';
      });
    });
    box.append(h('p', { class: 'error-id' }, id, ' ', button));
  });
}
