// Makes a picture of the chart that is on the page: its canvases below each other, with a title, names of series and notes.

const [PADDING, LINE, SPACE, SWATCH] = [20, 20, 5, 10];

export function toPng(title: string): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  const chart = document.getElementById('chart');
  const [first] = chart?.querySelectorAll('canvas') ?? [];
  if (chart === null || context === null || first === undefined) return Promise.resolve(null);
  const width = first.clientWidth;
  let [x, y] = [0, 0];
  // Once to know how high it is, and once on a canvas of that height.
  draw(chart, context);
  canvas.width = (width + 2 * PADDING) * devicePixelRatio;
  canvas.height = (y + PADDING) * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.fillStyle = getComputedStyle(chart.parentElement ?? chart).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  draw(chart, context);
  return new Promise((resolve) => canvas.toBlob(resolve));

  function draw(from: HTMLElement, on: CanvasRenderingContext2D): void {
    [x, y] = [PADDING, PADDING];
    write(on, title, from);
    const names = '.toggle[aria-pressed=true] .name';
    const parts = `.panel-head > :not(.chart-when), ${names}, canvas, .chart-note`;
    for (const part of from.querySelectorAll<HTMLElement>(parts)) {
      if (part.matches('h3, .chart-note')) startLine();
      if (part instanceof HTMLCanvasElement) {
        startLine();
        on.drawImage(part, PADDING, y, width, part.clientHeight);
        y += part.clientHeight + SPACE - LINE;
      } else if (part.matches('.chart-note'))
        for (const word of part.innerText.split(' ')) write(on, word, part);
      else write(on, part.innerText, part);
    }
    startLine();
  }

  function startLine(): void {
    [x, y] = [PADDING, y + LINE];
  }

  /** As the element has it: after what was written last, or on the next line if it does not fit there. */
  function write(on: CanvasRenderingContext2D, text: string, from: HTMLElement): void {
    const { font, color } = getComputedStyle(from);
    const swatch = from.parentElement?.querySelector(':scope > .swatch');
    const lead = swatch ? SWATCH + SPACE : 0;
    on.font = font;
    const length = Math.min(lead + on.measureText(text).width, width);
    if (x > PADDING && x + length > PADDING + width) startLine();
    if (swatch) {
      on.fillStyle = getComputedStyle(swatch).backgroundColor;
      on.fillRect(x, y + 3, SWATCH, SWATCH);
    }
    on.fillStyle = color;
    on.fillText(text, x + lead, y + 12, width - lead);
    x += length + (swatch ? 3 * SPACE : SPACE);
  }
}
