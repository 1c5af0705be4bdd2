// Reads the colours of the page for the chart.
import type { Theme } from '../chart/theme.ts';

const SERIES = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => `var(--series-${index})`);
/** Of more series: their colours mixed with a part of a colour of the page. */
const MIXED = ['var(--text) 45%', 'var(--surface) 40%'].flatMap((part) =>
  SERIES.map((one) => `color-mix(in srgb, ${one}, ${part})`),
);

export function readTheme(): Theme {
  const probe = document.createElement('i');
  // Its colours tell series apart, also where colours are forced.
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  // A colour, and not the text of light-dark().
  const computed = (written: string): string => {
    probe.style.color = written;
    return getComputedStyle(probe).color;
  };
  const colour = (name: string): string => computed(`var(--${name})`);
  const theme = {
    series: [...SERIES, ...MIXED].map(computed),
    others: colour('series-others'),
    text: colour('text'),
    muted: colour('muted'),
    line: colour('line'),
    edge: colour('edge'),
    sunken: colour('sunken'),
    surface: colour('surface'),
    fontFamily: getComputedStyle(document.body).fontFamily,
  };
  probe.remove();
  return theme;
}
