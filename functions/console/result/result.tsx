// The rows: how fresh they are, what is missing, as a chart, and as a table.
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Picture } from '../chart/chart.tsx';
import { isNumeric } from '../chart/plan/format-value.ts';
import { namedValues } from '../explain-error.ts';
import { valuesToSend } from '../form/form-values.ts';
import { type Endpoint, pathOf } from '../service.ts';
import { type State, set } from '../state.ts';
import { ChartCard } from './chart-card.tsx';
import { countOf, describeRowsCut } from './describe-freshness.ts';
import { Freshness, Progress } from './freshness.tsx';
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
  const kind = rows === undefined ? 'waiting' : running === undefined ? undefined : 'stale';
  return (
    <div id="result" class={kind}>
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
  const { draft, filter, chosen, hiddenSeries } = state;
  const { shown, plan, order } = rows;
  const { answer, parameters } = shown;
  const { length } = answer.rows;
  const call = pathOf(endpoint, parameters);
  const cut = answer.rowsCut;
  useEffect(() => {
    if (filter !== undefined) set({ status: `${countOf(order.length, length)}.` });
  }, [filter, order.length]);
  const notices = [
    ['rows-cut', cut !== undefined && describeRowsCut(cut)],
    [
      'stale',
      pathOf(endpoint, valuesToSend(endpoint, draft)) !== call &&
        'These rows are of other values: run again.',
    ],
    [
      'truncated',
      answer.isTruncated &&
        `The query had more rows: these are the first ${length.toLocaleString('en')}.`,
    ],
  ] as const;
  return (
    <>
      {notices.map(
        ([id, text]) =>
          text && (
            <p class="notice" id={id} key={id}>
              {text}
            </p>
          ),
      )}
      {length === 0 ? (
        <div class="card empty" id="empty">
          <h2>{cut === undefined ? 'No rows' : 'No rows found'}</h2>
          <p class="muted" id="empty-text">
            {emptyText(namedValues(endpoint, parameters), cut !== undefined)}
          </p>
        </div>
      ) : (
        // Another one for each call, which begins with all of its time.
        <ChartCard key={call} {...{ plan, picture, chosen, hiddenSeries, filter }} />
      )}
      {hasTable(rows) && <TableCard {...{ state, endpoint, rows, call }} />}
    </>
  );
}

/** The chart shows a single number, and all there is to know about it. */
export function hasTable({ shown: { answer, endpoint } }: ShownRows): boolean {
  const { length } = answer.rows;
  return length > 0 && !(length === 1 && endpoint.row.every(isNumeric));
}

function emptyText(values: string, isCut: boolean): string {
  const found = `The query returned no rows${values === '' ? '' : ` for ${values}`}`;
  if (isCut) return `${found} among those that were read.`;
  return `${found}.${values === '' ? '' : ' Change a value and run again.'}`;
}
