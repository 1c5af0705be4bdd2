// Reads the colours of the page for the chart.
import type { Theme } from '../chart/drawing/paint.ts';

const SERIES = 8;

export function readTheme(element: HTMLElement): Theme {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`);
  return {
    series: Array.from({ length: SERIES }, (_, index) => colour(`series-${index}`)),
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
