// The rows of a batch, which come ordered by key, back into one result per key, page by page.
import type { ColumnSchema, WireRow } from './ports.ts';

/** The result of one key, as the single query would have returned it. */
export interface KeyResult {
  key: string;
  schema: ColumnSchema[];
  /** At most `rowCountMax` rows. */
  rows: WireRow[];
  truncated: boolean;
}

export interface KeySplitter {
  /** Takes the next page; returns the results that are complete with it. */
  push(schema: ColumnSchema[], rows: readonly WireRow[]): KeyResult[];
  /** The last result, and an empty one for each key without rows. */
  finish(): KeyResult[];
}

/**
 * Holds the rows of one key at a time. Throws for rows that are not ordered by a first column `key`,
 * or that name a key which was not asked for: they must not end up in somebody else's result.
 */
export function createKeySplitter(keys: readonly string[], rowCountMax: number): KeySplitter {
  const awaited = new Set(keys);
  let schema: ColumnSchema[] = [];
  let current: KeyResult | undefined;

  return {
    push(pageSchema, rows) {
      if (pageSchema[0]?.name !== 'key')
        throw new Error('The first column of a batch must be key.');
      schema = pageSchema.slice(1);
      const complete: KeyResult[] = [];
      for (const row of rows) {
        const [first, ...values] = row.f;
        const key = String(first?.v);
        if (current?.key !== key) {
          if (current !== undefined) complete.push(current);
          if (!awaited.delete(key)) {
            throw new Error('A batch returned a key twice, or one that was not asked for.');
          }
          current = { key, schema, rows: [], truncated: false };
        }
        if (current.rows.length < rowCountMax) current.rows.push({ f: values });
        else current.truncated = true;
      }
      return complete;
    },
    finish() {
      const last = current === undefined ? [] : [current];
      const empty = [...awaited].map((key) => ({ key, schema, rows: [], truncated: false }));
      current = undefined;
      awaited.clear();
      return [...last, ...empty];
    },
  };
}
