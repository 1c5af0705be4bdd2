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
  const last = { position: grid.rows - 1, column: grid.columns - 1 };
  const next = isAll
    ? {
        Home: { position: 0, column: 0 },
        End: last,
        ArrowUp: { position: -1, column },
        ArrowDown: { position: last.position, column },
        ArrowLeft: { position, column: 0 },
        ArrowRight: { position, column: last.column },
      }[key.key]
    : {
        ArrowUp: { position: position - 1, column },
        ArrowDown: { position: position + 1, column },
        ArrowLeft: { position, column: column - 1 },
        ArrowRight: { position, column: column + 1 },
        PageUp: { position: Math.max(0, position - grid.page), column },
        PageDown: { position: position + grid.page, column },
        Home: { position, column: 0 },
        End: { position, column: last.column },
      }[key.key];
  return (
    next && {
      position: Math.min(Math.max(next.position, -1), last.position),
      column: Math.min(Math.max(next.column, 0), last.column),
    }
  );
}
