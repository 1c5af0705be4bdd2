// What can be done with the rows: their zone, keeping them fresh, a filter, the columns, and taking them away.
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { setView } from '../actions.ts';
import type { Picture } from '../chart/chart.tsx';
import { localZone, placeOf } from '../form/wall-clock.ts';
import type { Endpoint } from '../service.ts';
import { type State, set } from '../state.ts';
import { Toolbar } from '../toolbar.tsx';
import { readLightTheme } from './read-theme.ts';
import { hasTable } from './result.tsx';
import { SaveMenu } from './save-menu.tsx';
import { ColumnsDialog } from './table/columns-dialog.tsx';
import type { ShownRows } from './use-rows.ts';

interface ActionsProps {
  state: State;
  endpoint: Endpoint;
  rows: ShownRows | undefined;
  picture: RefObject<Picture | null>;
}

/** Hidden while the first rows are awaited, so that nothing moves when they come. */
export function ResultActions({ state, endpoint, rows, picture }: ActionsProps) {
  const { zone, isKeptFresh, filter, view } = state;
  const [isArranging, arrange] = useState(false);
  const isTable = rows === undefined || hasTable(rows);
  return (
    <div
      class={rows === undefined ? 'result-actions row end idle' : 'result-actions row end'}
      id="result-actions"
    >
      {hasZones(endpoint) && (
        <select
          id="zone"
          aria-label="Time zone"
          value={zone}
          onInput={({ currentTarget: { value } }) =>
            set({ zone: value === 'utc' ? 'utc' : 'local' })
          }
        >
          <option value="local">{placeOf(localZone())}</option>
          <option value="utc">UTC</option>
        </select>
      )}
      <Toolbar class="toolbar row" id="toolbar" aria-label="Rows">
        <label class="check">
          <input
            id="auto"
            type="checkbox"
            checked={isKeptFresh}
            onChange={({ currentTarget }) => set({ isKeptFresh: currentTarget.checked })}
          />{' '}
          Keep fresh
        </label>
        <button
          class="quiet"
          id="filter"
          type="button"
          hidden={!isTable}
          aria-expanded={filter !== undefined}
          aria-controls="filter-bar"
          onClick={() =>
            set({
              filter: filter === undefined ? { column: '', text: '', isWhole: false } : undefined,
            })
          }
        >
          Filter
        </button>
        <button
          class="quiet"
          id="arrange"
          type="button"
          hidden={!isTable}
          title="Hide columns"
          aria-haspopup="dialog"
          aria-label="Columns"
          onClick={() => arrange(true)}
        >
          ⋮
        </button>
        <SaveMenu
          name={endpoint.name}
          rows={{
            body: rows?.shown.answer.body ?? '',
            columns: rows?.columns.map(({ column }) => column) ?? [],
            order: rows?.order ?? [],
          }}
          picture={
            rows?.plan.kind === 'drawn'
              ? () => picture.current?.(endpoint.name, readLightTheme())
              : undefined
          }
        />
      </Toolbar>
      {isArranging && (
        <ColumnsDialog
          columns={endpoint.row}
          hidden={view.hiddenColumns}
          onHide={(hiddenColumns) => setView({ hiddenColumns })}
          onClose={() => arrange(false)}
        />
      )}
    </div>
  );
}

/** Where no time has a zone, or both are the same, there is nothing to choose. */
function hasZones({ row }: Endpoint): boolean {
  return (
    localZone() !== 'UTC' &&
    row.some(({ type, mode }) => type === 'TIMESTAMP' && mode !== 'REPEATED')
  );
}
