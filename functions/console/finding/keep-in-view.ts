// Scrolls a list, and never the page, until one of its items is in view.

/** A neighbour is in view too, and the heading of the group covers nothing. */
const MARGIN_PX = 40;

export function keepInView(list: HTMLElement, item: Element): void {
  const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  const above = inner.top - MARGIN_PX - outer.top;
  const below = inner.bottom + MARGIN_PX - outer.bottom;
  const isFar = above < -2 * MARGIN_PX || below > 2 * MARGIN_PX;
  if (isFar) list.scrollTop += (above + below) / 2;
  else if (above < 0) list.scrollTop += above;
  else if (below > 0) list.scrollTop += below;
}
