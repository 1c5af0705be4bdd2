// The line above the table in which a filter is typed.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Filter } from './filter-rows.ts';

interface FilterBarProps {
  /** The names of the columns to choose from. */
  columns: readonly string[];
  filter: Filter;
  /** How many rows it keeps, in words. */
  count: string;
  onFilter: (filter: Filter | undefined) => void;
}

export function FilterBar({ columns, filter, count, onFilter }: FilterBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const { column, text } = filter;
  const end = (): void => {
    onFilter(undefined);
    document.getElementById('filter')?.focus();
  };
  // At once: what is typed next belongs into it.
  useLayoutEffect(() => {
    input.current?.focus();
    // On a phone, the rows below it are behind "Run" otherwise.
    if (matchMedia('(max-width: 40rem)').matches) input.current?.scrollIntoView();
  }, []);
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
        value={column}
        onChange={({ currentTarget }) => onFilter({ text, column: currentTarget.value })}
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
        autocapitalize="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onFilter({ column, text: currentTarget.value })}
      />
      <span class="muted small end">{count}</span>
      <button class="quiet" type="button" onClick={end}>
        Clear
      </button>
    </div>
  );
}
