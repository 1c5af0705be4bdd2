// A drawing: marks at their places, in CSS pixels of the canvas of each panel.
import type { Series } from '../plan/chart-plan.ts';

/** A series by the index of its colour, or a part of the theme. */
export type Ink = number | 'others' | 'text' | 'muted' | 'line' | 'edge' | 'sunken';

interface Text {
  kind: 'text';
  x: number;
  /** The middle of the line. */
  y: number;
  text: string;
  align: 'left' | 'center' | 'right';
  ink: Ink;
  isStrong: boolean;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  ink: Ink;
}

export type Bar = Box & { kind: 'bar'; isDashed: boolean };

export type Mark =
  | Text
  | Bar
  | (Box & { kind: 'area' })
  | { kind: 'rule'; x1: number; y1: number; x2: number; y2: number; ink: Ink }
  | { kind: 'path'; points: readonly (readonly [number, number])[]; ink: Ink; isDashed: boolean }
  | { kind: 'dot'; x: number; y: number; ink: Ink };

interface PanelDrawing {
  height: number;
  marks: readonly Mark[];
  /** The middles of the names of its series, which stand at the right of `Drawing.namesX`. */
  names?: readonly number[];
}

export interface Drawing {
  width: number;
  panels: readonly PanelDrawing[];
  /** Undefined if the names do not fit beside the series. */
  namesX?: number | undefined;
  /** The moment nearest to a place in any panel. */
  momentAt: (x: number, y: number) => number;
  /** The marks that show a moment in a panel. */
  cursor: (panel: number, moment: number) => Mark[];
}

export interface LayOutOptions {
  /** In CSS pixels. */
  width: number;
  /** Names of series. */
  hidden: ReadonlySet<string>;
  /** Whether the names of series may stand beside them. */
  isNamed: boolean;
  measure: Measure;
}

/** How wide a text is. */
export type Measure = (text: string) => number;

/** Cuts a text that is wider than this. */
export function fitText(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && measure(`${letters.join('')}…`) > width) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}

export function text(
  x: number,
  y: number,
  content: string,
  { align = 'left', ink = 'muted', isStrong = false }: Partial<Omit<Text, 'kind' | 'x' | 'y'>> = {},
): Mark {
  return { kind: 'text', x, y, text: content, align, ink, isStrong };
}

export function rule(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  ink: Ink,
): Mark {
  return { kind: 'rule', x1, y1, x2, y2, ink };
}

export function inkOf({ colour }: Series): Ink {
  return colour ?? 'others';
}
