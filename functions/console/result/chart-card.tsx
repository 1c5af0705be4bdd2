// The card of the chart: what is drawn, or the numbers of one row, and the dialog in which series are chosen.
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { setView } from '../actions.ts';
import { Chart, type Picture } from '../chart/chart.tsx';
import type { ChartPlan } from '../chart/plan/chart-plan.ts';
import { CHOSEN_MAX } from '../chart/plan/choose-series.ts';
import { colourOf } from '../chart/theme.ts';
import { type State, get, set } from '../state.ts';
import { readTheme } from './read-theme.ts';
import { ChoiceDialog } from './choice-dialog.tsx';

interface ChartCardProps extends Pick<State, 'chosen' | 'hiddenSeries'> {
  plan: ChartPlan;
  picture: RefObject<Picture | null>;
  isFiltered: boolean;
}

export function ChartCard({ plan, picture, isFiltered, ...state }: ChartCardProps) {
  const card = useRef<HTMLDivElement>(null);
  const [isChoosing, choose] = useState(false);
  const [theme, paint] = useState(readTheme);
  const choice = plan.kind === 'drawn' ? plan.choice : undefined;
  useEffect(() => {
    const colours = matchMedia('(prefers-color-scheme: dark)');
    const onChange = (): void => paint(readTheme());
    colours.addEventListener('change', onChange);
    return () => colours.removeEventListener('change', onChange);
  }, []);
  useLayoutEffect(() => {
    // What is typed below it must not move.
    if (card.current !== null)
      card.current.style.minHeight = isFiltered ? `${card.current.offsetHeight}px` : '';
  }, [isFiltered]);
  return (
    <div class="card chart-card" id="chart-card" ref={card}>
      {plan.kind === 'drawn' ? (
        <Chart
          {...{ plan, theme, picture, onChoose }}
          hidden={state.hiddenSeries}
          chosen={state.chosen}
          onHide={(hiddenSeries) => set({ hiddenSeries })}
        >
          {choice !== undefined && (
            <button
              class="quiet"
              id="choose-series"
              type="button"
              aria-haspopup="dialog"
              onClick={() => choose(true)}
            >
              Series
            </button>
          )}
        </Chart>
      ) : plan.kind === 'figures' ? (
        <>
          {plan.when !== '' && <p class="chart-when">{plan.when}</p>}
          <dl class="figures">
            {plan.figures.map(({ label, value, unit }) => (
              <div key={label} class="figure">
                <dt>{label}</dt>
                <dd>
                  {value}
                  <span class="chart-unit">{unit}</span>
                </dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <p class="chart-note">{plan.text}</p>
      )}
      {isChoosing && choice !== undefined && (
        <ChoiceDialog
          title="Series of the chart"
          choices={choice.series.map(({ name, value, colour }) => ({
            ...{ name, note: value, isShown: colour !== undefined },
            colour: colour === undefined ? 'none' : colourOf(colour, theme),
          }))}
          max={CHOSEN_MAX}
          note={`${choice.series.filter(({ colour }) => colour !== undefined).length} of ${choice.series.length} are drawn, at most ${CHOSEN_MAX}. Numbers: ${choice.label}.`}
          reset="Automatic"
          onReset={() => setView({ drawnSeries: [] })}
          onChoose={(drawnSeries) => setView({ drawnSeries })}
          onClose={() => choose(false)}
        />
      )}
    </div>
  );
}

function onChoose(chosen: number | undefined): void {
  if (chosen !== get().chosen) set({ chosen });
}
