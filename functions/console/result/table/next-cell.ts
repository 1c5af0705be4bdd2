// Finds the cell that a key leads to, as in a grid of the ARIA Authoring Practices Guide.

export interface Cell {
  /** From 0; the header is -1. */
  position: number;
  column: number;
}

interface Grid {
  rows: number;
  columns: number;
  /** Rows that a page has. */
  page: number;
}

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Undefined for a key that leads nowhere. */
export function nextCell({ position, column }: Cell, grid: Grid, key: Key): Cell | undefined {
  if (key.altKey || key.shiftKey) return undefined;
  const isAll = key.ctrlKey || key.metaKey;
  const step = isAll ? Infinity : 1;
  const next = {
    ArrowUp: { position: position - step, column },
    ArrowDown: { position: position + step, column },
    ArrowLeft: { position, column: column - step },
    ArrowRight: { position, column: column + step },
    PageUp: isAll ? undefined : { position: Math.max(0, position - grid.page), column },
    PageDown: isAll ? undefined : { position: position + grid.page, column },
    Home: { position: isAll ? 0 : position, column: 0 },
    End: { position: isAll ? Infinity : position, column: Infinity },
  }[key.key];
  return (
    next && {
      position: Math.min(Math.max(next.position, -1), grid.rows - 1),
      column: Math.min(Math.max(next.column, 0), grid.columns - 1),
    }
  );
}
