// The colours and the font of a chart.

/** Colours as CSS writes them. */
export interface Theme {
  series: readonly string[];
  /** Of the series of all others. */
  others: string;
  text: string;
  muted: string;
  line: string;
  edge: string;
  sunken: string;
  /** The colour behind the canvas. */
  surface: string;
  fontFamily: string;
}

/** Of a series by the index of its colour; undefined for the series of all others. */
export function colourOf(index: number | undefined, { series, others }: Theme): string {
  return index === undefined ? others : (series[index % series.length] ?? others);
}
