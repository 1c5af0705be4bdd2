// Paints the marks of a drawing on a canvas.
import type { Ink, Mark } from './drawing.ts';

/** Colours as CSS writes them. */
export interface Theme extends Record<Exclude<Ink, number>, string> {
  series: readonly string[];
  /** The colour behind the canvas. */
  surface: string;
  fontFamily: string;
}

export const DASHES = [4, 3];
export const DOT = 3;
export const FONT_PX = 11.5;
export const LINE_WIDTH = 1.75;

export function fontOf({ fontFamily }: Theme, isStrong = false): string {
  return `${isStrong ? '600 ' : ''}${FONT_PX}px ${fontFamily}`;
}

export function colourOf(ink: Ink, theme: Theme): string {
  return typeof ink === 'number' ? (theme.series[ink % theme.series.length] ?? '') : theme[ink];
}

/** The context is scaled to CSS pixels. */
export function paint(
  context: CanvasRenderingContext2D,
  marks: readonly Mark[],
  theme: Theme,
): void {
  context.lineJoin = 'round';
  context.textBaseline = 'middle';
  for (const mark of marks) {
    const colour = colourOf(mark.ink, theme);
    context.fillStyle = colour;
    context.strokeStyle = colour;
    context.setLineDash([]);
    context.lineWidth = 1;
    if (mark.kind === 'area') context.fillRect(mark.x, mark.y, mark.width, mark.height);
    else if (mark.kind === 'rule') paintRule(context, mark);
    else if (mark.kind === 'path') paintPath(context, mark);
    else if (mark.kind === 'bar') paintBar(context, mark, theme);
    else if (mark.kind === 'dot') {
      context.beginPath();
      context.arc(mark.x, mark.y, DOT, 0, 2 * Math.PI);
      context.fill();
    } else {
      context.font = fontOf(theme, mark.isStrong);
      context.textAlign = mark.align;
      context.fillText(mark.text, mark.x, mark.y);
    }
  }
}

/** On half pixels, which makes a line of one pixel sharp. */
function paintRule(context: CanvasRenderingContext2D, mark: Mark & { kind: 'rule' }): void {
  const sharp = (at: number): number => Math.round(at) + 0.5;
  context.beginPath();
  context.moveTo(sharp(mark.x1), sharp(mark.y1));
  context.lineTo(sharp(mark.x2), sharp(mark.y2));
  context.stroke();
}

function paintPath(context: CanvasRenderingContext2D, mark: Mark & { kind: 'path' }): void {
  context.lineWidth = LINE_WIDTH;
  if (mark.isDashed) context.setLineDash(DASHES);
  context.beginPath();
  for (const [x, y] of mark.points) context.lineTo(x, y);
  context.stroke();
}

/** A bar that is not whole is an outline. */
function paintBar(
  context: CanvasRenderingContext2D,
  { x, y, width, height, isDashed }: Mark & { kind: 'bar' },
  { surface }: Theme,
): void {
  if (!isDashed || height < 3 || width < 3) {
    context.fillRect(x, y, width, height);
    return;
  }
  context.fillStyle = surface;
  context.fillRect(x, y, width, height);
  context.setLineDash(DASHES);
  context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
}
