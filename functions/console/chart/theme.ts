// The colours and the font of a chart: CSS on the page, and what they are at the moment for a canvas, which does not read CSS.

const SERIES = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => `var(--series-${index})`);
/** Of more series: their colours mixed with a part of a colour of the page. */
const MIXED = ['var(--text) 45%', 'var(--surface) 40%'].flatMap((part) =>
  SERIES.map((one) => `color-mix(in srgb, ${one}, ${part})`),
);
const COLOURS = [...SERIES, ...MIXED];
const FONT_PX = 12;

/** As CSS, of a series by the index of its colour; undefined for the series of all others. */
export function colourOf(index: number | undefined): string {
  return COLOURS[(index ?? NaN) % COLOURS.length] ?? 'var(--series-others)';
}

const probe = document.createElement('i');

/** A colour for a canvas. */
export function inkOf(css: string): string {
  if (!probe.isConnected) document.body.append(probe);
  // Its colours tell series apart, also where colours are forced.
  probe.style.cssText = `color: ${css}; forced-color-adjust: none`;
  return getComputedStyle(probe).color;
}

/** The font of a canvas with so many pixels for one of CSS. */
export function fontOf(pxRatio = 1): string {
  return `${FONT_PX * pxRatio}px ${getComputedStyle(document.body).fontFamily}`;
}

/** Measures texts, in CSS pixels. */
export function ruler(): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (context !== null) context.font = fontOf();
  return (text) => context?.measureText(text).width ?? 0;
}

/** The chart has other colours where the system is dark. */
export const DARK = matchMedia('(prefers-color-scheme: dark)');
