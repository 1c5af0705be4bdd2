// The rows: how fresh they are, what is missing, as a chart, and as a table.
import { useEffect } from 'preact/hooks';
import { valuesToSend } from '../form/form-values.ts';
import { pathOf } from '../service.ts';
import { get, set } from '../state.ts';
import { ChartCard } from './chart-card.tsx';
import { describeRowsCut } from './describe-freshness.ts';
import { Freshness, Progress } from './freshness.tsx';
import { TableCard } from './table/table.tsx';
import type { ShownRows } from './use-rows.ts';

export function Result({ rows }: { rows: ShownRows | undefined }) {
  const { running, problem } = get();
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
        {rows !== undefined && <Freshness answer={rows.shown.answer} />}
        {running !== undefined && <Progress running={running} />}
      </div>
      {rows === undefined ? (
        // Reserves the space of the first rows while they are awaited.
        <div class="card chart-card" />
      ) : (
        <Rows rows={rows} />
      )}
    </div>
  );
}

function Rows({ rows }: { rows: ShownRows }) {
  const { draft } = get();
  const { shown, plan, count } = rows;
  const { endpoint, answer, parameters } = shown;
  const { length } = answer.rows;
  const call = pathOf(endpoint, parameters);
  const cut = answer.rowsCut;
  useEffect(() => {
    if (count !== undefined) set({ status: `${count}.` });
  }, [count]);
  const isStale = pathOf(endpoint, valuesToSend(endpoint, draft)) !== call;
  const noticeOf = (id: string, text: string) => (
    <p class="notice small" id={id}>
      {text}
    </p>
  );
  return (
    <>
      {cut !== undefined && noticeOf('rows-cut', describeRowsCut(cut))}
      {isStale && noticeOf('stale', 'These rows are of other values: run again.')}
      {answer.isTruncated &&
        noticeOf(
          'truncated',
          `The query had more rows: these are the first ${length.toLocaleString('en')}.`,
        )}
      {length === 0 ? (
        <div class="card empty" id="empty">
          <h2>{cut === undefined ? 'No rows' : 'No rows found'}</h2>
          <p class="muted" id="empty-text">
            {`The query returned no rows for these values${cut === undefined ? '' : ', among those that were read'}.`}
          </p>
        </div>
      ) : (
        // Another one for each call, as the table: it begins with all of its time.
        <ChartCard key={call} plan={plan} />
      )}
      {answer.rows.length > 0 && <TableCard key={call} rows={rows} />}
    </>
  );
}
