// Reads one moment of a chart: the value of every series, to show and to read aloud.
import type { Drawn } from './plan/chart-plan.ts';

export interface Readout {
  /** `22 Nov 07:00`, and what is special about it. */
  when: string;
  /** The text of each series of each panel; empty for a hidden one. */
  texts: string[][];
  /** The same with names and units. */
  spoken: string;
}

/** `hidden` has names of series. */
export function readOut(
  { moments, panels }: Drawn,
  moment: number,
  hidden: ReadonlySet<string>,
): Readout {
  const { label = '', state = 'whole' } = moments[moment] ?? {};
  const note =
    { whole: '', missing: 'no rows', zero: 'no rows, so zero' }[state as string] ?? state;
  const when = note === '' ? label : `${label} · ${note}`;
  const texts = panels.map(({ series }) =>
    series.map((one) => (hidden.has(one.name) ? '' : (one.texts[moment] ?? ''))),
  );
  const spoken = panels.flatMap(({ series, unit }, panel) =>
    series.flatMap(({ label: name }, index) => {
      const text = texts[panel]?.[index] ?? '';
      // The name of a count already contains what it counts.
      const ofUnit = unit === '' || unit.includes('per ') ? '' : ` ${unit}`;
      return text === '' ? [] : [`${name} ${text}${text === 'no value' ? '' : ofUnit}`];
    }),
  );
  return { when, texts, spoken: spoken.join('; ') };
}
