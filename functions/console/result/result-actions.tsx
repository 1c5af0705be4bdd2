// What can be done with the rows: their zone, keeping them fresh, a filter, the columns, and taking them away.
import { useState } from 'preact/hooks';
import { setView } from '../actions.ts';
import { toPng } from '../chart/to-png.ts';
import { CopyButton } from '../copy-button.tsx';
import { localZone, placeOf } from '../form/wall-clock.ts';
import type { Endpoint } from '../service.ts';
import { type State, get, set } from '../state.ts';
import { ChoiceDialog } from './choice-dialog.tsx';
import { Dialog } from './dialog.tsx';
import { toCsv, toMarkdown, toTsv } from './export-rows.ts';
import type { Filter } from './table/filter-rows.ts';
import type { ShownRows } from './use-rows.ts';

export function ResultActions(props: { endpoint: Endpoint; rows: ShownRows | undefined }) {
  const { endpoint, rows } = props;
  const { zone, isKeptFresh, filter = { column: '', text: '' } } = get();
  const [opened, open] = useState<'columns' | 'save'>();
  const columns = rows?.columns.map(({ column }) => column) ?? [];
  const disabled = rows === undefined || rows.shown.answer.rows.length === 0;
  const { body = '' } = rows?.shown.answer ?? {};
  const exported = { body, columns, order: rows?.order ?? [] };
  const onClose = (): void => open(undefined);
  const download = (ending: string, content: Blob): void => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content);
    link.download = `${endpoint.name}.${ending}`;
    link.click();
    // Not at once: the browser may read it later.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    onClose();
  };
  const filterBy = (changes: Partial<Filter>): void => set({ filter: { ...filter, ...changes } });
  return (
    <div class="result-actions row end" id="result-actions">
      {hasZones(endpoint) && (
        <select
          id="zone"
          aria-label="Time zone"
          value={zone}
          onInput={({ currentTarget }) => set({ zone: currentTarget.value as State['zone'] })}
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
            ...{ name: column.name, isShown: columns.includes(column) },
          }))}
          onChoose={(names) => {
            const hidden = endpoint.row.map(({ name }) => name).filter((n) => !names.includes(n));
            setView({ hiddenColumns: names.length === 0 ? [] : hidden });
          }}
          onClose={onClose}
        />
      )}
      {opened === 'save' && rows !== undefined && (
        <Dialog title="Save" onClose={onClose}>
          <button
            class="secondary"
            id="download"
            type="button"
            onClick={() => {
              // Excel takes CSV without a byte order mark for ANSI.
              download('csv', new Blob(['\ufeff', toCsv(exported)], { type: 'text/csv' }));
            }}
          >
            Download CSV
          </button>
          <CopyButton label="Copy as Markdown" text={() => toMarkdown(exported)} />
          <CopyButton label="Copy as TSV" text={() => toTsv(exported)} />
          {rows.plan.kind === 'drawn' && (
            <button
              class="secondary"
              type="button"
              onClick={() => void toPng(endpoint.name).then((png) => png && download('png', png))}
            >
              Download PNG
            </button>
          )}
        </Dialog>
      )}
    </div>
  );
}

/** Where no time has a zone, or both are the same, there is nothing to choose. */
function hasZones({ row }: Endpoint): boolean {
  const hasTimes = row.some(({ type, mode }) => type === 'TIMESTAMP' && mode !== 'REPEATED');
  return hasTimes && localZone() !== 'UTC';
}
