// The line above the table in which a filter is typed.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { set } from '../../state.ts';
import type { Filter } from './filter-rows.ts';

interface FilterBarProps {
  /** The names of the columns to choose from. */
  columns: readonly string[];
  filter: Filter;
  /** How many rows it keeps, in words. */
  count: string;
}

export function FilterBar({ columns, filter, count }: FilterBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const end = (): void => {
    set({ filter: undefined });
    document.getElementById('filter')?.focus();
  };
  // At once: what is typed next belongs into it.
  useLayoutEffect(() => input.current?.focus(), []);
  return (
    <div
      class="filter-bar row"
      id="filter-bar"
      role="group"
      aria-label="Filter"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        end();
      }}
    >
      <select
        aria-label="Column to filter by"
        value={filter.column}
        onChange={({ currentTarget: { value } }) => set({ filter: { ...filter, column: value } })}
      >
        <option value="">any column</option>
        {columns.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <input
        ref={input}
        type="text"
        aria-label="Text to filter by"
        placeholder="Text, or > 5 for a number"
        autocomplete="off"
        value={filter.text}
        onInput={({ currentTarget }) => set({ filter: { ...filter, text: currentTarget.value } })}
      />
      <span class="muted small end">{count}</span>
      <button class="quiet" type="button" onClick={end}>
        Clear
      </button>
    </div>
  );
}
