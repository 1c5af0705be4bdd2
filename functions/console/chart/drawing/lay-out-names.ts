// Places the marks of a chart whose moments are names from top to bottom, each with a bar for each series.
import type { Drawn } from '../plan/chart-plan.ts';
import {
  type Drawing,
  type LayOutOptions,
  type Mark,
  fitText,
  inkOf,
  rule,
  text,
} from './drawing.ts';
import { valueTicks } from './value-ticks.ts';

const TOP = 8;
const BAR = 14;
const SPACE = 10;

export function layOutNames(
  { moments, panels }: Drawn,
  { width, hidden, measure }: LayOutOptions,
): Drawing {
  const widest = Math.max(...moments.map(({ label }) => measure(label)));
  const left = Math.ceil(Math.min(widest, width * 0.4)) + 10;
  const drawn = panels.map(({ series: all }) => {
    const series = all.filter(({ name }) => !hidden.has(name));
    const values = series.flatMap((one) => one.values.filter((value) => value !== null));
    const { min, max } = valueTicks(values, 4, false);
    const texts = series.flatMap((one) => one.texts.map(measure));
    const right = Math.max(left + 40, width - Math.ceil(Math.max(0, ...texts)) - 12);
    const x = (value: number): number =>
      left + ((value / 2 - min / 2) / (max / 2 - min / 2)) * (right - left);
    const rowHeight = Math.max(series.length, 1) * BAR + SPACE;
    const height = TOP + moments.length * rowHeight;
    const marks: Mark[] = [rule([x(0), TOP], [x(0), height], 'edge')];
    moments.forEach(({ label }, index) => {
      const top = TOP + index * rowHeight + SPACE / 2;
      const name = fitText(label, left - 10, measure);
      const middle = top + (rowHeight - SPACE) / 2;
      marks.push(text(left - 8, middle, name, { align: 'right', ink: 'text' }));
      series.forEach((one, position) => {
        const value = one.values[index];
        const y = top + position * BAR;
        const end = x(value ?? 0);
        if (value != null && value !== 0) {
          const size = Math.max(Math.abs(end - x(0)), 1);
          const from = value > 0 ? x(0) : x(0) - size;
          const box = { x: from, y: y + 1, width: size, height: BAR - 2 };
          marks.push({ kind: 'bar', ...box, ink: inkOf(one), isDashed: false });
        }
        marks.push(text(Math.max(end, x(0)) + 6, y + BAR / 2, one.texts[index] ?? ''));
      });
    });
    return { height, marks, rowHeight };
  });
  const rowOf = (panel: number): number => drawn[panel]?.rowHeight ?? BAR;
  return {
    width,
    panels: drawn,
    momentAt: (_, y) => Math.min(Math.max(Math.floor((y - TOP) / rowOf(0)), 0), moments.length - 1),
    cursor: (panel, moment) => {
      const [y, height] = [TOP + moment * rowOf(panel), rowOf(panel)];
      return [y, y + height].map((at) => rule([0, at], [width, at], 'edge'));
    },
  };
}
