// Shows the rows: how fresh they are, as a chart, and as a table.
import { type Chart, drawChart } from '../chart/draw-chart.ts';
import type { ChartInput, ChartPlan } from '../chart/plan/chart-plan.ts';
import { planChart } from '../chart/plan/plan-chart.ts';
import { byId, h, isLocal } from '../dom.ts';
import { namedValues } from '../explain-error.ts';
import { isNumeric } from '../chart/plan/format-value.ts';
import { formatSpan } from '../format-span.ts';
import { localZone, placeOf } from '../form/wall-clock.ts';
import type { Endpoint } from '../service.ts';
import { type State, type Store, type View, timeZoneOf } from '../store.ts';
import { makeToolbar } from '../toolbar.ts';
import { bucketOf } from '../form/bucket-of.ts';
import { describeCaching, describeFreshness } from './describe-freshness.ts';
import { describeRowsCut } from './describe-rows-cut.ts';
import { addSteps } from '../chart/plan/step.ts';
import { createSaveMenu } from './export/save-menu.ts';
import { readLightTheme, readTheme } from './read-theme.ts';
import { createSeriesDialog } from './series-dialog.ts';
import { visibleColumns } from './table/arrange-columns.ts';
import { type TableContent, countOf, mountTable } from './table/mount-table.ts';

/** After this time the page explains why the query takes longer. */
const SLOW_SECONDS = 2;
const MANY_ROWS = 2000;
const REDRAW_MS = 600;
const RUNNING = 'Running for';
const ARRANGEMENT: readonly (keyof View)[] = ['hiddenColumns', 'columnOrder'];

/** Returns a function that draws the chart in new colours. */
export function createResult(store: Store): () => void {
  /** Names of hidden series, by endpoint. */
  const hidden = new Map<string, Set<string>>();
  let chart: Chart | undefined;
  let plan: ChartPlan | undefined;
  let input: ChartInput | undefined;
  let waiting: ReturnType<typeof setInterval> | undefined;
  let redrawing: ReturnType<typeof setTimeout> | undefined;
  const table = mountTable(byId('table-card'), {
    onSort: (sorting) => store.set({ sorting }),
    onArrange: (arrangement) => store.set({ view: { ...store.get().view, ...arrangement } }),
    onFilter: (filter) => store.set({ filter }),
    onRow: choose,
  });
  const shownRows = () => {
    const { shown, view } = store.get();
    const content = contentOf(store.get());
    if (shown === undefined || content === undefined) return undefined;
    const { endpoint, answer } = shown;
    const columns = visibleColumns(endpoint.row, view);
    return { name: endpoint.name, body: answer.body, columns, order: table.rowsOf(content) };
  };
  createSaveMenu(shownRows, () => {
    const picture = chart?.toPng;
    return picture && ((name) => picture(name, readLightTheme(byId('chart'))));
  });
  makeToolbar(byId('toolbar'));
  const seriesDialog = createSeriesDialog(byId('chart-card'), (drawnSeries) =>
    store.set({ view: { ...store.get().view, drawnSeries } }),
  );
  byId('auto').addEventListener('change', () =>
    store.set({ isKeptFresh: byId<HTMLInputElement>('auto').checked }),
  );
  for (const radio of document.querySelectorAll<HTMLInputElement>('input[name=zone]')) {
    radio.addEventListener('change', () =>
      store.set({ zone: radio.value === 'utc' ? 'utc' : 'local' }),
    );
  }
  setInterval(tellFreshness, 1000);
  store.listen(['current'], showZones);
  store.listen(['running', 'shown', 'current', 'problem'], tellProgress);
  store.listen(['shown', 'zone'], (state, before) => {
    tellFreshness();
    if (state.shown === undefined) clear();
    else if (
      state.shown.answer.rows !== before.shown?.answer.rows ||
      state.zone !== before.zone ||
      isOver(state.shown.answer.computedAtMs)
    )
      draw(state, before);
    const isNews = state.shown?.answer.rows !== before.shown?.answer.rows;
    if (state.shown !== before.shown && (isNews || !state.isKeptFresh)) announce();
  });
  store.listen(['sorting', 'view'], (state, before) => {
    const isSame = ARRANGEMENT.every((field) => state.view[field] === before.view[field]);
    if (state.sorting !== before.sorting || !isSame) drawTable(state);
    // A filter looks into the columns of the table alone.
    if (state.view.drawnSeries !== before.view.drawnSeries || (!isSame && state.filter))
      showChart(state);
  });
  store.listen(['filter'], (state) => {
    if (state.shown === undefined || input === undefined) return;
    clearTimeout(redrawing);
    // A chart of many rows would hold up what is typed.
    if (input.rows.length < MANY_ROWS) showChart(state);
    else redrawing = setTimeout(() => showChart(store.get()), REDRAW_MS);
    drawTable(state, false);
    const count = table.rowsOf(contentOf(state) as TableContent).length;
    byId('status').textContent = `${countOf(count, input.rows.length)}.`;
  });
  store.listen(['session'], () => hidden.clear());
  store.listen(['chosenRows'], ({ chosenRows }) => table.mark(chosenRows));
  return () => chart?.paintWith(readTheme(byId('chart')));

  /** Whether the last bucket has ended since it was drawn: the same rows now count all of it. */
  function isOver(computedAtMs: number): boolean {
    return (
      plan?.kind === 'drawn' &&
      plan.moments.some(({ state, endMs }) => state === 'so far' && endMs <= computedAtMs)
    );
  }

  function clear(): void {
    chart?.destroy();
    [chart, plan] = [undefined, undefined];
    byId('chart').replaceChildren();
    seriesDialog.show(undefined);
    table.clear();
  }

  function draw(state: State, before: State): void {
    if (state.shown === undefined) return;
    const { endpoint, parameters, answer } = state.shown;
    const isEmpty = answer.rows.length === 0;
    const isCut = answer.isTruncated;
    byId('empty').hidden = !isEmpty;
    byId('chart-card').hidden = isEmpty;
    byId('empty-title').textContent = answer.rowsCut === undefined ? 'No rows' : 'No rows found';
    // The chart shows a single number, and all there is to know about it.
    const isFigures = answer.rows.length === 1 && endpoint.row.every(isNumeric);
    for (const id of ['table-card', 'filter', 'arrange']) byId(id).hidden = isEmpty || isFigures;
    const rowsCut = answer.rowsCut === undefined ? '' : describeRowsCut(answer.rowsCut);
    byId('rows-cut').hidden = rowsCut === '';
    byId('rows-cut').textContent = rowsCut;
    byId('truncated').hidden = !isCut;
    byId('truncated').textContent =
      `The query had more rows: these are the first ${answer.rows.length.toLocaleString('en')}.`;
    const values = namedValues(endpoint, parameters);
    const found = `The query returned no rows${values === '' ? '' : ` for ${values}`}`;
    byId('empty-text').textContent =
      rowsCut !== ''
        ? `${found} among those that were read.`
        : `${found}.${values === '' ? '' : ' Change a value and run again.'}`;
    input = inputOf(state.shown, timeZoneOf(state));
    showChart(state);
    const isSame = before.shown?.endpoint === endpoint && before.shown.parameters === parameters;
    drawTable(state, isSame || state.zone !== before.zone);
  }

  function showChart(state: State): void {
    clearTimeout(redrawing);
    const content = contentOf(state);
    if (content === undefined) return;
    const { endpoint, filter } = content;
    const names = hidden.get(endpoint.name) ?? new Set<string>();
    hidden.set(endpoint.name, names);
    const card = byId('chart-card');
    // What is typed below it must not move.
    card.style.minHeight = filter === undefined ? '' : `${card.offsetHeight}px`;
    const kept = filter && { rows: new Set(table.rowsOf(content)), column: filter.column };
    chart?.destroy();
    plan = planChart({ ...content.input, drawn: state.view.drawnSeries, kept });
    const host = byId('chart');
    chart = drawChart(host, plan, {
      ...{ theme: readTheme(host), hidden: names, actions: [seriesDialog.button] },
      onMoment: (rows) => store.set({ chosenRows: rows }),
    });
    seriesDialog.show(plan.kind === 'drawn' ? plan.choice : undefined);
    choose(state.chosenRows[0]);
  }

  /** Shows the moment of a row in the chart. */
  function choose(row: number | undefined): void {
    if (row !== undefined) chart?.chooseRow(row);
  }

  function contentOf({ shown, sorting, view, filter }: State): TableContent | undefined {
    if (shown === undefined || input === undefined) return undefined;
    return { endpoint: shown.endpoint, input, sorting, arrangement: view, filter };
  }

  /** Keeps the place where the table was scrolled to only if its rows are those of the same call. */
  function drawTable(state: State, keepsPlace = true): void {
    const content = contentOf(state);
    if (content === undefined) return;
    table.show(content, keepsPlace);
    table.mark(state.chosenRows);
  }

  /** Written only when it changes, so that its words can be selected. */
  function tellFreshness(): void {
    const { shown } = store.get();
    const line = byId('freshness');
    if (shown === undefined) {
      line.replaceChildren();
      return;
    }
    const { endpoint, answer } = shown;
    const { kind, origin, age, parts } = describeFreshness(endpoint, answer, now());
    const badge = h('span', { class: `badge ${kind}`, title: answer.cacheStatus }, origin);
    const told = [h('span', {}, badge, `, ${age}`), ...parts.map((part) => h('span', {}, part))];
    const isSame =
      line.children.length === told.length &&
      told.every((each, index) => each.isEqualNode(line.children[index] ?? null));
    if (!isSame) line.replaceChildren(...told);
  }

  /** For screen readers: the outcome of a run. */
  function announce(): void {
    const { shown } = store.get();
    if (shown === undefined) return;
    const { origin, age } = describeFreshness(shown.endpoint, shown.answer, now());
    const { rowsCut, rows: all } = shown.answer;
    const rows = all.length === 0 ? 'No rows' : countOf(all.length, all.length);
    const cut = rowsCut === undefined ? '' : ` ${describeRowsCut(rowsCut)}`;
    byId('status').textContent = `${rows}. ${origin}, ${age}.${cut}`;
  }

  /** Reserves the space of the first rows while they are awaited. */
  function tellProgress({ running, shown, current, problem }: State): void {
    clearInterval(waiting);
    const isRunning = running !== undefined;
    const isError = problem !== undefined && problem.isCalm !== true;
    byId('not-run').hidden = isRunning || shown !== undefined;
    byId('not-run').textContent = current === undefined || isError ? '' : describeCaching(current);
    byId('progress').hidden = !isRunning;
    byId('result').hidden = !isRunning && shown === undefined;
    byId('result').classList.toggle('stale', isRunning && shown !== undefined);
    byId('result').classList.toggle('waiting', shown === undefined);
    byId('result-actions').classList.toggle('idle', shown === undefined);
    if (shown === undefined) {
      byId('chart-card').hidden = false;
      for (const id of ['empty', 'rows-cut', 'table-card', 'truncated']) byId(id).hidden = true;
    }
    const goesOn = running?.goesOn ?? false;
    byId('cancel').textContent = goesOn ? 'Stop waiting' : 'Cancel';
    const tell = (isNews: boolean): void => {
      const startedMs = running?.startedMs ?? performance.now();
      const seconds = Math.floor((performance.now() - startedMs) / 1000);
      // The button keeps the focus while the page asks again.
      byId('progress-line').hidden = !goesOn && seconds < SLOW_SECONDS;
      if (byId('progress-line').hidden) return;
      const more = goesOn
        ? 'The page asks for the rows again by itself.'
        : 'Rows that are not in the cache take a few seconds.';
      const text = `${RUNNING} ${formatSpan(seconds)}. ${more}`;
      byId('progress-text').textContent = text;
      // Not each second: a screen reader would never end.
      if (isNews) byId('status').textContent = text;
    };
    tell(goesOn);
    if (running === undefined) {
      if (byId('status').textContent.startsWith(RUNNING)) byId('status').textContent = '';
      return;
    }
    waiting = setInterval(() => tell(byId('progress-line').hidden === true), 500);
  }

  /** Where no time has a zone, or both are the same, there is nothing to choose. */
  function showZones({ current }: State): void {
    const zone = localZone();
    const isZoned = ({ type, mode }: Endpoint['row'][number]): boolean =>
      type === 'TIMESTAMP' && mode !== 'REPEATED';
    byId('zones').hidden = zone === 'UTC' || !(current?.row.some(isZoned) ?? false);
    byId('local-zone').textContent = placeOf(zone);
  }
}

function now(): { nowMs: number; isLocal: boolean } {
  return { nowMs: Date.now(), isLocal: isLocal() };
}

/** The input of chart and table. */
function inputOf(
  { endpoint, parameters, answer }: NonNullable<State['shown']>,
  timeZone: string,
): ChartInput {
  const bucket = bucketOf(endpoint, parameters);
  return {
    columns: endpoint.row,
    rows: answer.rows,
    bucket,
    timeZone,
    computedAtMs: answer.computedAtMs,
    windowStartMs:
      bucket?.window &&
      addSteps(answer.computedAtMs, bucket.window, -1, {
        ...{ zone: bucket.zone ?? 'UTC', isWall: false },
      }),
    isTruncated: answer.isTruncated,
  };
}
