// The tabs of an endpoint: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { setView } from '../actions.ts';
import { CodeTab } from '../call/code-tab.tsx';
import type { View } from '../call/link.ts';
import type { Picture } from '../chart/chart.tsx';
import { ResultActions } from '../result/result-actions.tsx';
import { Result } from '../result/result.tsx';
import { useRows } from '../result/use-rows.ts';
import type { Endpoint } from '../service.ts';
import type { State } from '../state.ts';
import { ColumnsTab } from './columns-tab.tsx';

interface TabsProps {
  state: State;
  endpoint: Endpoint;
  problem: ComponentChildren;
}

const LABELS: [tab: View['tab'], label: string][] = [
  ['result', 'Result'],
  ['columns', 'Columns'],
  ['code', 'Code'],
];

export function Tabs({ state, endpoint, problem }: TabsProps) {
  const { tab: chosen } = state.view;
  const rows = useRows(state);
  const picture = useRef<Picture>(null);
  const onKey = (event: KeyboardEvent): void => {
    const at = LABELS.findIndex(([tab]) => tab === chosen);
    const moves = { ArrowRight: (at + 1) % LABELS.length, ArrowLeft: at - 1, Home: 0, End: -1 };
    const [next] = LABELS.at(moves[event.key as keyof typeof moves] ?? NaN) ?? [];
    if (!(event.key in moves) || !next || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setView({ tab: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  const panels: Record<View['tab'], ComponentChildren> = {
    result: <Result {...{ state, endpoint, rows, picture }} />,
    columns: chosen === 'columns' && <ColumnsTab endpoint={endpoint} />,
    code: <CodeTab {...state} endpoint={endpoint} />,
  };
  return (
    <>
      <div class="tabs row">
        <div class="tab-list" role="tablist" aria-label="Endpoint" onKeyDown={onKey}>
          {LABELS.map(([tab, label]) => (
            <button
              key={tab}
              role="tab"
              id={`tab-${tab}`}
              aria-controls={`panel-${tab}`}
              aria-selected={tab === chosen}
              tabIndex={tab === chosen ? 0 : -1}
              type="button"
              onClick={() => setView({ tab })}
            >
              {label}
            </button>
          ))}
        </div>
        {chosen === 'result' && (rows !== undefined || state.running !== undefined) && (
          <ResultActions {...{ state, endpoint, rows, picture }} />
        )}
      </div>
      {problem}
      {LABELS.map(([tab]) => (
        <div
          key={tab}
          id={`panel-${tab}`}
          role="tabpanel"
          aria-labelledby={`tab-${tab}`}
          hidden={tab !== chosen}
        >
          {panels[tab]}
        </div>
      ))}
    </>
  );
}
