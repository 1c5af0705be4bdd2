// Draws on the canvas of uPlot what it has no option for: spans without rows, the line at zero, and texts beside bars.
import uPlot from 'uplot';
import { FONT_PX, type Frame, groupOf, isPart, visibleOf } from './frame.ts';
import type { Panel } from './plan/chart-plan.ts';

const GAP_LABEL = 'no rows';

/** With the area of series in CSS pixels. The context is left as it was, because uPlot remembers its state. */
function paint(
  { ctx, bbox }: uPlot,
  { theme }: Frame,
  draw: (
    context: CanvasRenderingContext2D,
    area: { left: number; top: number; right: number; bottom: number },
  ) => void,
): void {
  ctx.save();
  ctx.scale(uPlot.pxRatio, uPlot.pxRatio);
  ctx.font = `${FONT_PX}px ${theme.fontFamily}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.fillStyle = theme.muted;
  ctx.strokeStyle = theme.edge;
  ctx.lineWidth = 1;
  ctx.setLineDash([]);
  const [left, top] = [bbox.left / uPlot.pxRatio, bbox.top / uPlot.pxRatio];
  const [width, height] = [bbox.width / uPlot.pxRatio, bbox.height / uPlot.pxRatio];
  draw(ctx, { left, top, right: left + width, bottom: top + height });
  ctx.restore();
}

/** The widest has a label. */
export function drawGaps(plot: uPlot, frame: Frame): void {
  paint(plot, frame, (context, { left, top, right, bottom }) => {
    const gaps = frame.plan.moments.flatMap(({ state }, moment) => {
      const [from, to] = frame.places.edges(moment).map((x) => plot.valToPos(x, 'x') + left);
      if (state !== 'missing' || from === undefined || to === undefined) return [];
      const start = Math.max(from, left);
      const width = Math.min(Math.max(to, from + 2), right) - start;
      return width > 0 ? { from: start, width } : [];
    });
    context.fillStyle = frame.theme.sunken;
    for (const { from, width } of gaps) context.fillRect(from, top, width, bottom - top);
    const [widest] = gaps.sort((a, b) => b.width - a.width);
    if (widest === undefined || widest.width < frame.measure(GAP_LABEL) + 8) return;
    context.fillStyle = frame.theme.muted;
    context.textAlign = 'center';
    context.fillText(GAP_LABEL, widest.from + widest.width / 2, top + 10);
  });
}

/** Names have their values beside their bars; in the course of time the last bar says that it is not whole. */
export function drawTexts(plot: uPlot, panel: Panel, frame: Frame): void {
  const { plan, margins, shown, width } = frame;
  const isNames = plan.axis === 'names';
  paint(plot, frame, (context, { left, top, right, bottom }) => {
    const zero = Math.round(plot.valToPos(0, 'y') + (isNames ? left : top)) + 0.5;
    const isInside = zero > (isNames ? left : top) - 1 && zero < (isNames ? right : bottom) + 1;
    context.beginPath();
    context.moveTo(isNames ? zero : left, isNames ? top : zero);
    context.lineTo(isNames ? zero : right, isNames ? bottom : zero);
    if (isInside) context.stroke();
    const last = plan.moments[shown[1]];
    if (panel.mark === 'bars' && isPart(last))
      context.fillText(last?.state ?? '', width - margins.right + 8, bottom - 8);
    if (!isNames) return;
    const visible = visibleOf(panel, frame);
    const { first, step } = groupOf(plot, visible.length, frame);
    for (const [index, { texts }] of visible.entries())
      for (const [at, text] of texts.entries()) {
        const end = plot.valToPos(Math.max(plot.data[index + 1]?.[at] ?? 0, 0), 'y');
        const y = plot.valToPos(at + first + (index + 0.5) * step, 'x');
        context.fillText(text, left + end + 6, top + y);
      }
  });
}
