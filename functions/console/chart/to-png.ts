// Makes a picture of the chart that is on the page: its titles, names, canvases and notes, where they stand, below a title.

const [PADDING, TITLE] = [20, 28];
/** A text is the first child of its element. */
const PARTS = '.panel-head :is(h3, span), .swatch, .toggle :is(.name, b), canvas, .chart-note';

/** Null where the browser makes no picture of it. */
export function toPng(title: string): Promise<Blob | null> {
  const chart = document.getElementById('chart');
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (chart === null || context === null) return Promise.resolve(null);
  const { left, top, width, height } = chart.getBoundingClientRect();
  canvas.width = (width + 2 * PADDING) * devicePixelRatio;
  canvas.height = (height + TITLE + 2 * PADDING) * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.fillStyle = getComputedStyle(chart.parentElement ?? chart).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const { font: titleFont, color: ink } = getComputedStyle(chart);
  Object.assign(context, { textBaseline: 'top', font: titleFont, fillStyle: ink });
  context.fillText(title, PADDING, PADDING);
  context.translate(PADDING - left, PADDING + TITLE - top);
  const range = document.createRange();
  for (const part of chart.querySelectorAll(PARTS)) {
    const { x, y, width: across, height: down } = part.getBoundingClientRect();
    const { font, color, backgroundColor } = getComputedStyle(part);
    Object.assign(context, { font, fillStyle: backgroundColor });
    context.fillRect(x, y, across, down);
    context.fillStyle = color;
    if (part instanceof HTMLCanvasElement) context.drawImage(part, x, y, across, down);
    const text = part.firstChild;
    for (const { 0: word, index } of text?.nodeValue?.matchAll(/\S+/g) ?? []) {
      range.setStart(text!, index);
      range.setEnd(text!, index + word.length);
      const place = range.getBoundingClientRect();
      context.fillText(word, place.x, place.y);
    }
  }
  return new Promise((resolve) => canvas.toBlob(resolve));
}
