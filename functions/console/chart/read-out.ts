// Reads one moment of a chart: the value of every series, to show and to read aloud.
import type { Drawn } from './plan/chart-plan.ts';

/** What is special about the moment too; for a hidden series, an empty text. */
export function readOut({ moments, panels }: Drawn, moment: number, hidden: ReadonlySet<string>) {
  const { label = '', state = 'whole' } = moments[moment] ?? {};
  const note =
    { whole: '', missing: 'no rows', zero: 'no rows, so zero' }[state as string] ?? state;
  const when = note === '' ? label : `${label} · ${note}`;
  const texts = panels.map(({ series }) =>
    series.map((one) => (hidden.has(one.name) ? '' : one.textAt(moment))),
  );
  const spoken = panels.flatMap(({ series, unit }, panel) =>
    series.flatMap(({ label: name }, index) => {
      const text = texts[panel]?.[index] ?? '';
      // The name of a count already contains what it counts.
      const ofUnit = unit === '' || unit.includes('per ') ? '' : ` ${unit}`;
      return text === '' ? [] : [`${name} ${text}${text === 'no value' ? '' : ofUnit}`];
    }),
  );
  // With names and units.
  return { when, texts, spoken: spoken.join('; ') };
}
