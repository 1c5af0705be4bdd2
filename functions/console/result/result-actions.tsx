// What can be done with the rows: their zone, keeping them fresh, a filter, the columns, and taking them away.
import type { ButtonHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { setView } from '../actions.ts';
import { localZone, placeOf } from '../form/wall-clock.ts';
import type { Endpoint } from '../service.ts';
import { get, set } from '../state.ts';
import { ChoiceDialog } from './choice-dialog.tsx';
import { hasTable } from './result.tsx';
import { SaveDialog } from './save-dialog.tsx';
import type { ShownRows } from './use-rows.ts';

interface ActionsProps {
  endpoint: Endpoint;
  rows: ShownRows | undefined;
}

export function ResultActions({ endpoint, rows }: ActionsProps) {
  const { zone, isKeptFresh, filter } = get();
  const [opened, open] = useState<'columns' | 'save'>();
  const columns = rows?.columns.map(({ column }) => column) ?? [];
  const isNone = rows === undefined || !hasTable(rows);
  const onClose = (): void => open(undefined);
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
      <Action
        id="filter"
        disabled={isNone}
        aria-expanded={filter !== undefined}
        onClick={() => set({ filter: filter ? undefined : { column: '', text: '' } })}
      >
        Filter
      </Action>
      <Action id="arrange" disabled={isNone} onClick={() => open('columns')}>
        Hide columns
      </Action>
      <Action id="save" disabled={rows === undefined} onClick={() => open('save')}>
        Save
      </Action>
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
          hasChart={rows.plan.kind === 'drawn'}
          onClose={onClose}
        />
      )}
    </div>
  );
}

function Action(attributes: ButtonHTMLAttributes) {
  return <button class="quiet" type="button" {...attributes} />;
}

/** Where no time has a zone, or both are the same, there is nothing to choose. */
function hasZones({ row }: Endpoint): boolean {
  return (
    localZone() !== 'UTC' &&
    row.some(({ type, mode }) => type === 'TIMESTAMP' && mode !== 'REPEATED')
  );
}
