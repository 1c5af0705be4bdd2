// The rows: how fresh they are, what is missing, as a chart, and as a table.
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Picture } from '../chart/chart.tsx';
import { isNumeric } from '../chart/plan/format-value.ts';
import { namedValues } from '../explain-error.ts';
import { valuesToSend } from '../form/form-values.ts';
import { type Endpoint, pathOf } from '../service.ts';
import { type State, set } from '../state.ts';
import { setView } from '../actions.ts';
import { ChartCard } from './chart-card.tsx';
import { countOf } from './describe-freshness.ts';
import { describeRowsCut } from './describe-rows-cut.ts';
import { Freshness } from './freshness.tsx';
import { Progress } from './progress.tsx';
import { TableCard } from './table/table-card.tsx';
import type { ShownRows } from './use-rows.ts';

interface ResultProps {
  state: State;
  endpoint: Endpoint;
  rows: ShownRows | undefined;
  picture: RefObject<Picture | null>;
}

export function Result({ state, endpoint, rows, picture }: ResultProps) {
  const { running, problem } = state;
  if (rows === undefined && running === undefined) {
    const isError = problem !== undefined && problem.isCalm !== true;
    return (
      <p class="muted small" id="not-run">
        {isError ? '' : 'No rows yet: run the query to get them.'}
      </p>
    );
  }
  const isAsked = running !== undefined;
  return (
    <div id="result" class={rows === undefined ? 'waiting' : isAsked ? 'stale' : undefined}>
      <h2 class="visually-hidden">Result</h2>
      <div class="result-head row">
        {rows !== undefined && <Freshness shown={rows.shown} />}
        {running !== undefined && <Progress running={running} />}
      </div>
      {rows === undefined ? (
        // Reserves the space of the first rows while they are awaited.
        <div class="card chart-card" />
      ) : (
        <Rows {...{ state, endpoint, rows, picture }} />
      )}
    </div>
  );
}

function Rows({ state, endpoint, rows, picture }: ResultProps & { rows: ShownRows }) {
  const { draft, filter, sorting, chosen, hiddenSeries } = state;
  const { shown, input, plan, columns, order } = rows;
  const { answer, parameters } = shown;
  const { length } = answer.rows;
  const moments = plan.kind === 'drawn' ? plan.moments : [];
  const call = pathOf(endpoint, parameters);
  const isOther = pathOf(endpoint, valuesToSend(endpoint, draft)) !== call;
  useEffect(() => {
    if (filter !== undefined) set({ status: `${countOf(order.length, length)}.` });
  }, [filter, order.length]);
  const rowsCut = answer.rowsCut === undefined ? undefined : describeRowsCut(answer.rowsCut);
  return (
    <>
      {rowsCut !== undefined && (
        <p class="notice" id="rows-cut">
          {rowsCut}
        </p>
      )}
      {isOther && (
        <p class="notice" id="stale">
          These rows are of other values: run again.
        </p>
      )}
      {answer.isTruncated && (
        <p class="notice" id="truncated">
          The query had more rows: these are the first {length.toLocaleString('en')}.
        </p>
      )}
      {length === 0 ? (
        <Empty values={namedValues(endpoint, parameters)} isCut={rowsCut !== undefined} />
      ) : (
        // Another one for each call, which begins with all of its time.
        <ChartCard
          key={call}
          {...{ plan, picture, chosen, hiddenSeries, isFiltered: filter !== undefined }}
        />
      )}
      {hasTable(rows) && (
        <div class="card table-card" id="table-card">
          <TableCard
            {...{ endpoint, input, columns, order, sorting, filter }}
            marked={moments[chosen ?? -1]?.rows ?? []}
            call={call}
            onSort={(next) => set({ sorting: next })}
            onShowAll={() => setView({ hiddenColumns: [] })}
            onFilter={(next) => set({ filter: next })}
          />
        </div>
      )}
    </>
  );
}

/** The chart shows a single number, and all there is to know about it. */
export function hasTable({ shown: { answer, endpoint } }: ShownRows): boolean {
  const { length } = answer.rows;
  return length > 0 && !(length === 1 && endpoint.row.every(isNumeric));
}

function Empty({ values, isCut }: { values: string; isCut: boolean }) {
  const found = `The query returned no rows${values === '' ? '' : ` for ${values}`}`;
  return (
    <div class="card empty" id="empty">
      <p class="empty-title" id="empty-title">
        {isCut ? 'No rows found' : 'No rows'}
      </p>
      <p class="muted" id="empty-text">
        {isCut
          ? `${found} among those that were read.`
          : `${found}.${values === '' ? '' : ' Change a value and run again.'}`}
      </p>
    </div>
  );
}
