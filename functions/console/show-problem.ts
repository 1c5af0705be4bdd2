// Shows what went wrong and what to do, with an error id that can be copied.
import { copyButton } from './copy-button.ts';
import { byId, h } from './dom.ts';
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
    box.append(h('p', { class: 'error-id' }, id, ' ', copyButton('Copy error id', id)));
  });
}
