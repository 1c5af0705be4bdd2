// Keeps only those rows in the page that are in view, and uses the elements of the others again.

interface RowElements {
  create: () => HTMLTableRowElement;
  fill: (element: HTMLTableRowElement, position: number) => void;
}

export interface RecycledRows {
  /** From `first` to before `end`, and the kept one: they are in the order of their positions. */
  show: (first: number, end: number, kept: number) => void;
  /** Fills all again. */
  refill: () => void;
  at: (position: number) => HTMLTableRowElement | undefined;
}

export function recycleRows(body: HTMLElement, { create, fill }: RowElements): RecycledRows {
  const used = new Map<number, HTMLTableRowElement>();
  const spare: HTMLTableRowElement[] = [];
  body.replaceChildren();
  return {
    show(first, end, kept) {
      const isWanted = (position: number): boolean =>
        (position >= first && position < end) || position === kept;
      for (const [position, element] of used) {
        if (isWanted(position)) continue;
        element.remove();
        used.delete(position);
        spare.push(element);
      }
      let next = body.firstElementChild;
      const put = (position: number): void => {
        let element = used.get(position);
        if (element === undefined) {
          element = spare.pop() ?? create();
          fill(element, position);
          used.set(position, element);
          body.insertBefore(element, next);
        }
        next = element.nextElementSibling;
      };
      if (kept >= 0 && kept < first) put(kept);
      for (let position = first; position < end; position += 1) put(position);
      if (kept >= end) put(kept);
    },
    refill() {
      for (const [position, element] of used) fill(element, position);
    },
    at: (position) => used.get(position),
  };
}
