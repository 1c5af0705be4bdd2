// Reads the colours of the page for the chart.
import type { Theme } from '../chart/theme.ts';

const SERIES = 8;
/** Of more series: their colours mixed with this part of a colour of the page. */
const MIXED = [
  ['text', 0.45],
  ['surface', 0.4],
] as const;

export function readTheme(element: HTMLElement): Theme {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`);
  const series = Array.from({ length: SERIES }, (_, index) => colour(`series-${index}`));
  const more = MIXED.flatMap(([name, part]) => series.map((one) => mix(one, colour(name), part)));
  return {
    series: [...series, ...more],
    others: colour('series-others'),
    text: colour('text'),
    muted: colour('muted'),
    line: colour('line'),
    edge: colour('edge'),
    sunken: colour('sunken'),
    surface: colour('surface'),
    fontFamily: style.fontFamily,
  };
}

/** The colours of light mode, in whichever mode the page is. */
export function readLightTheme(element: HTMLElement): Theme {
  const { dataset } = document.documentElement;
  const { theme } = dataset;
  dataset.theme = 'light';
  const light = readTheme(element);
  dataset.theme = theme;
  return light;
}

/** Of two colours as a browser computes them: `rgb(1, 2, 3)`. */
function mix(one: string, other: string, part: number): string {
  const [a, b] = [one, other].map((colour) => (colour.match(/\d+/g) ?? []).map(Number));
  const mixed = a?.map((value, index) => Math.round(value * (1 - part) + (b?.[index] ?? 0) * part));
  return `rgb(${mixed?.join(', ')})`;
}
