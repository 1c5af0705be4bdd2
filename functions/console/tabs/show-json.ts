// Shows the answer as it was received.
import { copyButton } from '../copy-button.ts';
import { byId, h } from '../dom.ts';
import { formatBytes } from '../format-bytes.ts';
import { saveFile } from '../save-file.ts';
import type { State, Store } from '../store.ts';
import { prettyJson } from './pretty-json.ts';

/** The length that a browser lays out without a pause. */
const LENGTH_MAX = 50_000;

/** No answer is written while another tab is open. */
export function createJson(store: Store): void {
  let written: string | undefined;
  const body = (): string => store.get().shown?.answer.body ?? '';
  byId('json-actions').replaceChildren(
    copyButton('Copy', byId('json'), body),
    h('button', { type: 'button', class: 'secondary', id: 'save-json' }, 'Download'),
  );
  byId('save-json').addEventListener('click', save);
  store.listen(['shown', 'running', 'problem', 'view', 'current'], show);

  function show({ shown, running, problem, view }: State): void {
    if (view.tab !== 'json' && shown !== undefined) return;
    byId('json').hidden = shown === undefined;
    byId('json-actions').hidden = shown === undefined;
    if (shown === undefined) {
      written = undefined;
      byId('json').replaceChildren();
      byId('json-note').textContent =
        running !== undefined
          ? 'Waiting for the answer.'
          : problem === undefined
            ? 'Nothing has run yet. Run shows the answer here as the service sends it.'
            : 'The last run gave no rows.';
      return;
    }
    if (shown.answer.body === written) return;
    written = shown.answer.body;
    const { text, isCut } = prettyJson(written, LENGTH_MAX);
    byId('json').textContent = text;
    byId('json').scrollTop = 0;
    const size = formatBytes(new Blob([written]).size);
    byId('json-note').textContent = isCut
      ? `${size}, of which the beginning is shown. Copy and Download take all of it.`
      : `${size}, indented. Copy and Download take it as it was sent.`;
  }

  function save(): void {
    const { shown } = store.get();
    if (shown === undefined) return;
    const json = new Blob([shown.answer.body], { type: 'application/json' });
    saveFile(`${shown.endpoint.name}.json`, json);
  }
}
