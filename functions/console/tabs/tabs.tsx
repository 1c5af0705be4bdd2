// The tabs of an endpoint: its result, its columns, and its call as code.
import { setView } from '../actions.ts';
import { CodeTab } from '../call/code-tab.tsx';
import type { View } from '../call/link.ts';
import { CopyButton } from '../copy-button.tsx';
import type { Explanation } from '../explain-error.ts';
import { ResultActions } from '../result/result-actions.tsx';
import { Result } from '../result/result.tsx';
import { useRows } from '../result/use-rows.ts';
import type { Endpoint } from '../service.ts';
import { get } from '../state.ts';
import { ColumnsTab } from './columns-tab.tsx';

const LABELS: [tab: View['tab'], label: string][] = [
  ['result', 'Result'],
  ['columns', 'Columns'],
  ['code', 'Code'],
];

export function Tabs({ endpoint }: { endpoint: Endpoint }) {
  const state = get();
  const { tab: chosen } = state.view;
  const rows = useRows(state);
  return (
    <>
      <div class="tabs row">
        <fieldset class="tab-list" aria-label="What is shown">
          {LABELS.map(([tab, label]) => (
            <label key={tab}>
              <input
                type="radio"
                name="tab"
                id={`tab-${tab}`}
                checked={tab === chosen}
                onChange={() => setView({ tab })}
              />
              {label}
            </label>
          ))}
        </fieldset>
        {chosen === 'result' && <ResultActions endpoint={endpoint} rows={rows} />}
      </div>
      <Problem {...state.problem} />
      <section id="panel-result" aria-label="Result" hidden={chosen !== 'result'}>
        <Result rows={rows} />
      </section>
      {chosen === 'columns' && <ColumnsTab endpoint={endpoint} />}
      <section id="panel-code" aria-label="Code" hidden={chosen !== 'code'}>
        <CodeTab endpoint={endpoint} />
      </section>
    </>
  );
}

/** What went wrong and what to do, with an error id that can be copied. */
function Problem({ title, text, errorId, isCalm = false }: Partial<Explanation>) {
  return (
    <div class={`card problem${isCalm ? ' calm' : ''}`} id="problem" role="alert" hidden={!title}>
      <strong>{title}</strong>
      <p>{text}</p>
      {errorId !== undefined && (
        <p>
          <code>{errorId}</code> <CopyButton label="Copy error id" text={() => errorId} />
        </p>
      )}
    </div>
  );
}
