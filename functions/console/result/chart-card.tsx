// The card of the chart: what is drawn, or the numbers of one row, and the dialog in which series are chosen.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { setView } from '../actions.ts';
import { Chart } from '../chart/chart.tsx';
import type { ChartPlan, Choice } from '../chart/plan/chart-plan.ts';
import { CHOSEN_MAX } from '../chart/plan/choose-series.ts';
import { colourOf } from '../chart/theme.ts';
import { get, set } from '../state.ts';
import { ChoiceDialog } from './choice-dialog.tsx';

export function ChartCard({ plan }: { plan: ChartPlan }) {
  const { filter, chosen, hiddenSeries } = get();
  const card = useRef<HTMLDivElement>(null);
  const isFiltered = filter !== undefined;
  useLayoutEffect(() => {
    // What is typed below it must not move.
    if (card.current !== null)
      card.current.style.minHeight = isFiltered ? `${card.current.offsetHeight}px` : '';
  }, [isFiltered]);
  return (
    <div class="card chart-card" id="chart-card" ref={card}>
      {plan.kind === 'drawn' ? (
        <Chart
          {...{ plan, chosen, onChoose }}
          hidden={hiddenSeries}
          onHide={(hidden) => set({ hiddenSeries: hidden })}
        >
          {plan.choice !== undefined && <SeriesChoice choice={plan.choice} />}
        </Chart>
      ) : plan.kind === 'figures' ? (
        <>
          {plan.when !== '' && <p class="chart-when muted small">{plan.when}</p>}
          <dl class="figures">
            {plan.figures.map(({ label, value, unit }) => (
              <div key={label}>
                <dt class="muted small">{label}</dt>
                <dd>
                  {value}
                  <span class="chart-unit muted small">{unit}</span>
                </dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <p class="chart-note muted small">{plan.text}</p>
      )}
    </div>
  );
}

function SeriesChoice({ choice: { series, label } }: { choice: Choice }) {
  const [isOpen, open] = useState(false);
  const drawn = series.filter(({ colour }) => colour !== undefined).length;
  return (
    <>
      <button class="quiet" id="choose-series" type="button" onClick={() => open(true)}>
        Series
      </button>
      {isOpen && (
        <ChoiceDialog
          title="Series of the chart"
          choices={series.map(({ name, value, colour }) => ({
            ...{ name, note: value, isShown: colour !== undefined },
            colour: colour === undefined ? 'none' : colourOf(colour),
          }))}
          max={CHOSEN_MAX}
          note={`${drawn} of ${series.length} are drawn, at most ${CHOSEN_MAX}. Numbers: ${label}.`}
          onChoose={(drawnSeries) => setView({ drawnSeries })}
          onClose={() => open(false)}
        />
      )}
    </>
  );
}

function onChoose(chosen: number | undefined): void {
  if (chosen !== get().chosen) set({ chosen });
}
