// The card of the table: what is hidden, the filter, the rows, and the whole value of a cell.
import type { ChartInput } from '../../chart/plan/chart-plan.ts';
import { useState } from 'preact/hooks';
import type { Endpoint } from '../../service.ts';
import { countOf } from '../describe-freshness.ts';
import { CellDialog, type OpenedCell } from './cell-dialog.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type Filter, isMisread } from './filter-rows.ts';
import type { Sorting } from './sort-rows.ts';
import { Table } from './table.tsx';
import type { WrittenColumn } from './write-column.ts';

interface TableCardProps {
  endpoint: Endpoint;
  input: ChartInput;
  /** Those that are shown. */
  columns: readonly WrittenColumn[];
  order: readonly number[];
  sorting: Sorting | undefined;
  filter: Filter | undefined;
  marked: readonly number[];
  /** Rows of another call are shown from the top. */
  call: string;
  onSort: (sorting: Sorting) => void;
  onShowAll: () => void;
  onFilter: (filter: Filter | undefined) => void;
}

export function TableCard(props: TableCardProps) {
  const { endpoint, input, columns, order, filter, onShowAll, onFilter } = props;
  const [opened, open] = useState<OpenedCell>();
  const hidden = endpoint.row.length - columns.length;
  const isNone = order.length === 0 && filter !== undefined && isMisread(columns, filter);
  return (
    <>
      {hidden > 0 && (
        <p class="table-note muted small">
          {hidden} of {endpoint.row.length} columns {hidden === 1 ? 'is' : 'are'} hidden.{' '}
          <button class="link" type="button" onClick={onShowAll}>
            Restore
          </button>
        </p>
      )}
      {filter !== undefined && (
        <FilterBar
          columns={columns.map(({ column }) => column.name)}
          filter={filter}
          count={isNone ? 'not a number' : countOf(order.length, input.rows.length)}
          onFilter={onFilter}
        />
      )}
      <Table
        key={props.call}
        {...props}
        label={`Rows of ${endpoint.name}`}
        rows={input.rows}
        onOpen={(column, position, value) => open({ column, position, value })}
      />
      {opened !== undefined && <CellDialog cell={opened} onClose={() => open(undefined)} />}
    </>
  );
}
