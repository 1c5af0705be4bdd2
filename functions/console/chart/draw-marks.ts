// Draws on the canvas of uPlot what it has no option for: spans without rows, and the values of names beside their bars.
import uPlot from 'uplot';
import { FONT_PX, type Frame, groupOf, visibleOf } from './frame.ts';
import type { Panel } from './plan/chart-plan.ts';

const GAP_LABEL = 'no rows';

/** With the area of series in CSS pixels. The context is left as it was, because uPlot remembers its state. */
function paint(
  { ctx, bbox }: uPlot,
  { theme }: Frame,
  draw: (context: CanvasRenderingContext2D, left: number, top: number) => void,
): void {
  ctx.save();
  ctx.scale(uPlot.pxRatio, uPlot.pxRatio);
  ctx.font = `${FONT_PX}px ${theme.fontFamily}`;
  ctx.textBaseline = 'middle';
  draw(ctx, bbox.left / uPlot.pxRatio, bbox.top / uPlot.pxRatio);
  ctx.restore();
}

/** The widest has a label. */
export function drawGaps(plot: uPlot, frame: Frame): void {
  const { plan, places, theme, measure } = frame;
  paint(plot, frame, (context, left, top) => {
    const gaps = plan.moments.flatMap(({ state }, moment) => {
      if (state !== 'missing') return [];
      const [from, to] = places.edges(moment).map((x) => plot.valToPos(x, 'x'));
      const start = Math.max(from ?? 0, 0);
      const width = Math.min(Math.max(to ?? 0, start + 2), plot.over.clientWidth) - start;
      return width > 0 ? { from: left + start, width } : [];
    });
    context.fillStyle = theme.inkOf('var(--sunken)');
    for (const { from, width } of gaps) context.fillRect(from, top, width, plot.over.clientHeight);
    const [widest] = gaps.sort((a, b) => b.width - a.width);
    if (widest === undefined || widest.width < measure(GAP_LABEL) + 8) return;
    context.fillStyle = theme.inkOf('var(--muted)');
    context.textAlign = 'center';
    context.fillText(GAP_LABEL, widest.from + widest.width / 2, top + 10);
  });
}

export function drawValues(plot: uPlot, panel: Panel, frame: Frame): void {
  const visible = visibleOf(panel, frame);
  const { first, step } = groupOf(plot, visible.length, frame);
  paint(plot, frame, (context, left, top) => {
    context.fillStyle = frame.theme.inkOf('var(--muted)');
    context.textAlign = 'left';
    for (const [index, { texts }] of visible.entries())
      for (const [at, text] of texts.entries()) {
        const end = plot.valToPos(Math.max(plot.data[index + 1]?.[at] ?? 0, 0), 'y');
        const y = plot.valToPos(at + first + (index + 0.5) * step, 'x');
        context.fillText(text, left + end + 6, top + y);
      }
  });
}
