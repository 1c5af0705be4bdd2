// The tabs of an endpoint: its result, its columns, and its call as code.
import { setView } from './actions.ts';
import { CodeTab } from './call/code-tab.tsx';
import { TABS, TAB_NAMES } from './call/link.ts';
import { ResultActions } from './result/result-actions.tsx';
import { Result } from './result/result.tsx';
import { useRows } from './result/use-rows.ts';
import type { Endpoint } from './service.ts';
import { get } from './state.ts';

export function Tabs({ endpoint }: { endpoint: Endpoint }) {
  const state = get();
  const { problem, view } = state;
  const rows = useRows(state);
  return (
    <>
      <div class="tabs row">
        <fieldset class="tab-list" aria-label="What is shown">
          {TAB_NAMES.map((tab) => (
            <label key={tab}>
              <input
                type="radio"
                name="tab"
                id={`tab-${tab}`}
                checked={tab === view.tab}
                onChange={() => setView({ tab })}
              />
              {TABS[tab]}
            </label>
          ))}
        </fieldset>
        {view.tab === 'result' && (
          <ResultActions key={endpoint.name} endpoint={endpoint} rows={rows} />
        )}
      </div>
      <div
        class={`card problem${problem?.isCalm ? ' calm' : ''}`}
        id="problem"
        role="alert"
        hidden={problem === undefined}
      >
        <strong>{problem?.title}</strong>
        <p>{problem?.text}</p>
      </div>
      <section id="panel-result" aria-label="Result" hidden={view.tab !== 'result'}>
        <Result rows={rows} />
      </section>
      {view.tab === 'columns' && <ColumnsTab endpoint={endpoint} />}
      <section id="panel-code" aria-label="Code" hidden={view.tab !== 'code'}>
        <CodeTab endpoint={endpoint} />
      </section>
    </>
  );
}

const MODES = { REQUIRED: 'never null', NULLABLE: 'may be null', REPEATED: 'list' };

/** What the columns of an endpoint mean. */
function ColumnsTab({ endpoint: { row } }: { endpoint: Endpoint }) {
  return (
    <section id="panel-columns" class="definitions" tabIndex={0} aria-label="Columns">
      <table class="card" aria-label="Columns">
        <thead>
          <tr>
            {['Name', 'Type', 'Mode', 'Unit', 'Description'].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row.map(({ name, type, mode, unit, description }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{type}</td>
              <td>{MODES[mode]}</td>
              <td>{unit}</td>
              <td>{description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
