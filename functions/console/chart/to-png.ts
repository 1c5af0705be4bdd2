// Puts the canvases of a chart below each other in one picture, with a title, the names of series and notes.
import type uPlot from 'uplot';
import { type Frame, axisNoteOf } from './frame.ts';
import { colourOf } from './theme.ts';

const [PADDING, LINE, SPACE, SWATCH] = [20, 20, 5, 10];
const [TEXT, MUTED] = ['var(--text)', 'var(--muted)'];

export function toPng(
  plots: readonly uPlot[],
  title: string,
  { plan, theme, hidden }: Pick<Frame, 'plan' | 'theme' | 'hidden'>,
): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  const width = plots[0]?.width ?? 0;
  if (context === null || width === 0) return Promise.resolve(null);
  const all = plan.panels.flatMap(({ series }) => series.map(({ name }) => name));
  const off = [...new Set(all)].filter((name) => hidden.has(name));
  const notes = [...plan.notes, ...(off.length === 0 ? [] : [`Hidden: ${off.join(', ')}.`])];
  let [x, y] = [0, 0];
  // Once to know how high it is, and once on a canvas of that height.
  draw();
  canvas.width = (width + 2 * PADDING) * devicePixelRatio;
  canvas.height = (y + PADDING) * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.fillStyle = theme.inkOf('var(--surface)');
  context.fillRect(0, 0, canvas.width, canvas.height);
  draw();
  return new Promise((resolve) => canvas.toBlob(resolve));

  function draw(): void {
    [x, y] = [PADDING, PADDING];
    write(title, '600 16px', TEXT);
    startLine();
    for (const [index, plot] of plots.entries()) {
      const { title: own = '', unit = '', series = [] } = plan.panels[index] ?? {};
      write(own, '600 13px', TEXT);
      write([unit, axisNoteOf(plot)].filter(Boolean).join(' · '), '12px', MUTED);
      for (const { name, label, colour } of series)
        if (!hidden.has(name)) write(label, '12px', TEXT, colourOf(colour));
      startLine();
      context?.drawImage(plot.ctx.canvas, PADDING, y, plot.width, plot.height);
      y += plot.height + SPACE;
    }
    for (const word of notes.join(' ').split(' ')) write(word, '12px', MUTED);
    startLine();
  }

  function startLine(): void {
    [x, y] = [PADDING, y + LINE];
  }

  /** After what was written last, or on the next line if it does not fit there. */
  function write(text: string, font: string, ink: string, swatch?: string): void {
    if (context === null) return;
    context.font = `${font} ${theme.fontFamily}`;
    const lead = swatch === undefined ? 0 : SWATCH + SPACE;
    const length = Math.min(lead + context.measureText(text).width, width);
    if (x > PADDING && x + length > PADDING + width) startLine();
    context.fillStyle = theme.inkOf(swatch ?? ink);
    if (swatch !== undefined) context.fillRect(x, y + 3, SWATCH, SWATCH);
    context.fillStyle = theme.inkOf(ink);
    context.fillText(text, x + lead, y + 12, width - lead);
    x += length + (swatch === undefined ? SPACE : 3 * SPACE);
  }
}
