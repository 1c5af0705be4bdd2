// What can be done with the rows: their zone, keeping them fresh, a filter, the columns, and taking them away.
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { setView } from '../actions.ts';
import type { Picture } from '../chart/chart.tsx';
import { localZone, placeOf } from '../form/wall-clock.ts';
import type { Endpoint } from '../service.ts';
import { type State, set } from '../state.ts';
import { ChoiceDialog } from './choice-dialog.tsx';
import { hasTable } from './result.tsx';
import { SaveMenu } from './save-menu.tsx';
import { type ShownRows, visibleColumns } from './use-rows.ts';

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
  const visible = visibleColumns(endpoint.row, view.hiddenColumns);
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
      <label class="check">
        <input
          id="auto"
          type="checkbox"
          checked={isKeptFresh}
          onChange={({ currentTarget }) => set({ isKeptFresh: currentTarget.checked })}
        />{' '}
        Keep fresh
      </label>
      {isTable && (
        <>
          <button
            class="quiet"
            id="filter"
            type="button"
            aria-expanded={filter !== undefined}
            aria-controls="filter-bar"
            onClick={() =>
              set({ filter: filter === undefined ? { column: '', text: '' } : undefined })
            }
          >
            Filter
          </button>
          <button
            class="quiet"
            id="arrange"
            type="button"
            aria-haspopup="dialog"
            onClick={() => arrange(true)}
          >
            Hide columns
          </button>
        </>
      )}
      <SaveMenu
        name={endpoint.name}
        rows={{
          body: rows?.shown.answer.body ?? '',
          columns: rows?.columns.map(({ column }) => column) ?? [],
          order: rows?.order ?? [],
        }}
        picture={rows?.plan.kind === 'drawn' ? () => picture.current?.(endpoint.name) : undefined}
      />
      {isArranging && (
        <ChoiceDialog
          title="Columns of the table"
          choices={endpoint.row.map((column) => ({
            ...{ name: column.name, note: column.unit ?? '' },
            isShown: visible.includes(column),
          }))}
          max={Infinity}
          reset="Restore"
          onReset={() => setView({ hiddenColumns: [] })}
          onChoose={(names) => {
            const hidden = endpoint.row.filter(({ name }) => !names.includes(name));
            setView({ hiddenColumns: hidden.map(({ name }) => name) });
          }}
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
