// Moves a column to where its header is dragged. A finger scrolls the table instead.

interface DragOptions {
  /** Before the column at this place, or after the last. */
  onMove: (from: number, before: number) => void;
}

/** Less is a click with an unsteady hand. */
const DISTANCE_MIN = 6;

export function dragHeadings(row: HTMLTableRowElement, { onMove }: DragOptions): void {
  let start: { x: number; from: number; pointer: number } | undefined;
  let before: number | undefined;

  row.addEventListener('pointerdown', ({ target, clientX: x, pointerId, pointerType, button }) => {
    const from = [...row.cells].findIndex((cell) => cell.contains(target as Node));
    before = undefined;
    start =
      button !== 0 || pointerType === 'touch' || from === -1
        ? undefined
        : { x, from, pointer: pointerId };
  });
  row.addEventListener('pointermove', ({ clientX: x }) => {
    if (start === undefined) return;
    if (before === undefined) {
      if (Math.abs(x - start.x) < DISTANCE_MIN) return;
      row.setPointerCapture(start.pointer);
    }
    const boxes = [...row.cells].map((cell) => cell.getBoundingClientRect());
    const found = boxes.findIndex(({ left, width }) => x < left + width / 2);
    before = found === -1 ? boxes.length : found;
    mark(start.from, before);
  });
  row.addEventListener('pointerup', () => {
    if (start !== undefined && before !== undefined && before !== start.from)
      onMove(start.from, before);
    end();
  });
  row.addEventListener('pointercancel', () => {
    before = undefined;
    end();
  });
  // A drag must not count as a click, which would sort.
  row.addEventListener(
    'click',
    (event) => {
      if (before !== undefined) event.stopPropagation();
      before = undefined;
    },
    true,
  );

  function end(): void {
    start = undefined;
    mark(undefined, undefined);
  }

  function mark(from: number | undefined, place: number | undefined): void {
    for (const [index, cell] of [...row.cells].entries()) {
      cell.classList.toggle('dragged', index === from);
      cell.classList.toggle('drop-before', index === place);
      cell.classList.toggle('drop-after', index + 1 === place && place === row.cells.length);
    }
  }
}
