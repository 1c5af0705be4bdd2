// Shows the call of the form as a curl command, and copies it.
import { curlOf } from './curl.ts';
import { copyText } from '../copy-text.ts';
import { byId, h } from '../dom.ts';
import { readFields } from '../form/form.ts';
import type { Store } from '../store.ts';

const LABELS = new Map([
  ['copy', 'Copy'],
  ['copy-short', 'Copy as curl'],
]);

/** Returns what shows the command again, after the values of the form were set. */
export function createCall(store: Store): () => void {
  byId('form').addEventListener('input', show);
  byId('with-key').addEventListener('change', show);
  for (const id of LABELS.keys()) byId(id).addEventListener('click', () => void copy(byId(id)));
  return show;

  function show(): void {
    const { current, session } = store.get();
    if (current === undefined || session === undefined) return;
    const isWithKey = byId<HTMLInputElement>('with-key').checked;
    const key = isWithKey ? session.key : undefined;
    const text = curlOf(current, readFields(current), location.origin, key);
    // Line breaks are allowed only between parts of the address.
    byId('curl').replaceChildren(
      ...text
        .split(/(?<=[?&])/)
        .flatMap((part, index) => (index === 0 ? [part] : [h('wbr'), part])),
    );
    byId('curl-hint').textContent = isWithKey
      ? 'The key is in the command: mind where you paste it.'
      : 'Reads the key from the environment: export API_KEY=… first.';
  }

  async function copy(button: HTMLElement): Promise<void> {
    const isCopied = await copyText(byId('curl'));
    button.textContent = isCopied ? 'Copied' : 'Marked, now copy';
    if (isCopied) byId('status').textContent = 'The command is copied.';
    setTimeout(() => (button.textContent = LABELS.get(button.id) ?? ''), 2000);
  }
}
