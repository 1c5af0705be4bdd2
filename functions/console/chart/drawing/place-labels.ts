// Moves labels apart until they do not overlap, as little as possible.

/** As high as a button must be for a finger. */
const LINE = 24;

/** The middles of the labels, none nearer to another than a line; undefined if they do not fit. */
export function placeLabels(
  wanted: readonly number[],
  top: number,
  bottom: number,
): number[] | undefined {
  if ((wanted.length - 1) * LINE > bottom - top) return undefined;
  const order = wanted.map((at, index) => ({ at, index })).sort((a, b) => a.at - b.at);
  let least = top;
  for (const label of order) {
    label.at = Math.max(label.at, least);
    least = label.at + LINE;
  }
  let most = bottom;
  for (const label of order.toReversed()) {
    label.at = Math.min(label.at, most);
    most = label.at - LINE;
  }
  const placed = new Array<number>(wanted.length);
  for (const { at, index } of order) placed[index] = at;
  return placed;
}
