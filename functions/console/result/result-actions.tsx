// What can be done with the rows: their zone, keeping them fresh, a filter, the columns, and taking them away.
import { useState } from 'preact/hooks';
import { setView } from '../actions.ts';
import { localZone, placeOf } from '../form/wall-clock.ts';
import type { Endpoint } from '../service.ts';
import { get, set } from '../state.ts';
import { ChoiceDialog } from './choice-dialog.tsx';
import { SaveDialog } from './save-dialog.tsx';
import type { Filter } from './table/filter-rows.ts';
import type { ShownRows } from './use-rows.ts';

interface ActionsProps {
  endpoint: Endpoint;
  rows: ShownRows | undefined;
}

export function ResultActions({ endpoint, rows }: ActionsProps) {
  const { zone, isKeptFresh, filter = { column: '', text: '' } } = get();
  const [opened, open] = useState<'columns' | 'save'>();
  const columns = rows?.columns.map(({ column }) => column) ?? [];
  const disabled = rows === undefined || rows.shown.answer.rows.length === 0;
  const onClose = (): void => open(undefined);
  const filterBy = (changes: Partial<Filter>): void => set({ filter: { ...filter, ...changes } });
  return (
    <div class="result-actions row end" id="result-actions">
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
      <select
        id="filter-column"
        aria-label="Column to filter by"
        value={filter.column}
        disabled={disabled}
        onInput={({ currentTarget: { value } }) => filterBy({ column: value })}
      >
        <option value="">any column</option>
        {endpoint.row.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <input
        id="filter"
        type="search"
        aria-label="Text to filter by"
        placeholder="Filter: text, or > 5"
        autocomplete="off"
        value={filter.text}
        disabled={disabled}
        onInput={({ currentTarget }) => filterBy({ text: currentTarget.value })}
        onKeyDown={({ key }) => key === 'Escape' && set({ filter: undefined })}
      />
      <button class="quiet" id="arrange" disabled={disabled} onClick={() => open('columns')}>
        Hide columns
      </button>
      <button class="quiet" id="save" disabled={rows === undefined} onClick={() => open('save')}>
        Save
      </button>
      {opened === 'columns' && (
        <ChoiceDialog
          title="Columns of the table"
          choices={endpoint.row.map((column) => ({
            ...{ name: column.name, note: column.unit ?? '' },
            isShown: columns.includes(column),
          }))}
          onChoose={(names) => {
            const hidden = endpoint.row.map(({ name }) => name).filter((n) => !names.includes(n));
            setView({ hiddenColumns: names.length === 0 ? [] : hidden });
          }}
          onClose={onClose}
        />
      )}
      {opened === 'save' && rows !== undefined && (
        <SaveDialog
          name={endpoint.name}
          rows={{ body: rows.shown.answer.body, columns, order: rows.order }}
          onClose={onClose}
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
