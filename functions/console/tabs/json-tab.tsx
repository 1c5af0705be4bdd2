// The answer as it was received.
import { useMemo } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { formatBytes } from '../format-bytes.ts';
import { saveFile } from '../save-file.ts';
import type { State } from '../state.ts';
import { prettyJson } from './pretty-json.ts';

/** The length that a browser lays out without a pause. */
const LENGTH_MAX = 50_000;

export function JsonTab({ shown, running, problem }: Pick<State, 'shown' | 'running' | 'problem'>) {
  const { body } = shown?.answer ?? {};
  const { text, note } = useMemo(() => describe(body ?? ''), [body]);
  if (shown === undefined || body === undefined)
    return (
      <p class="muted small" id="json-note">
        {running !== undefined
          ? 'Waiting for the answer.'
          : problem === undefined
            ? 'Nothing has run yet. Run shows the answer here as the service sends it.'
            : 'The last run gave no rows.'}
      </p>
    );
  const save = (): void =>
    saveFile(`${shown.endpoint.name}.json`, new Blob([body], { type: 'application/json' }));
  return (
    <>
      <div class="row">
        <p class="muted small" id="json-note">
          {note}
        </p>
        <div class="row end" id="json-actions">
          <CopyButton text={() => body} />
          <button class="secondary" id="save-json" type="button" onClick={save}>
            Download
          </button>
        </div>
      </div>
      <pre id="json" tabIndex={0} aria-label="Answer">
        {text}
      </pre>
    </>
  );
}

function describe(body: string): { text: string; note: string } {
  const { text, isCut } = prettyJson(body, LENGTH_MAX);
  const how = isCut
    ? 'of which the beginning is shown. Copy and Download take all of it.'
    : 'indented. Copy and Download take it as it was sent.';
  return { text, note: `${formatBytes(new Blob([body]).size)}, ${how}` };
}
