// The card of the chart: what is drawn, or the numbers of one row, and the dialog in which series are chosen.
import { useState } from 'preact/hooks';
import { setView } from '../actions.ts';
import { Chart } from '../chart/chart.tsx';
import type { ChartPlan, Drawn } from '../chart/plan/chart-plan.ts';
import { CHOSEN_MAX } from '../chart/plan/choose-series.ts';
import { colourOf } from '../chart/theme.ts';
import { get, set } from '../state.ts';
import { ChoiceDialog } from './choice-dialog.tsx';

export function ChartCard({ plan }: { plan: ChartPlan }) {
  const { chosen, hiddenSeries } = get();
  return (
    <div class="card chart-card" id="chart-card">
      {plan.kind === 'drawn' ? (
        <Chart
          {...{ plan, chosen, hidden: hiddenSeries }}
          onChoose={(next) => next !== get().chosen && set({ chosen: next })}
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

function SeriesChoice({ choice }: { choice: NonNullable<Drawn['choice']> }) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <button class="quiet" id="choose-series" type="button" onClick={() => open(true)}>
        Series
      </button>
      {isOpen && (
        <ChoiceDialog
          title="Series of the chart"
          choices={choice.map(({ name, colour }) => ({
            ...{ name, isShown: colour !== undefined },
            colour: colour === undefined ? 'none' : colourOf(colour),
          }))}
          max={CHOSEN_MAX}
          onChoose={(drawnSeries) => setView({ drawnSeries })}
          onClose={() => open(false)}
        />
      )}
    </>
  );
}
