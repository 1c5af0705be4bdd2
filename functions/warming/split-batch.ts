// Splits the rows of a batch, which are ordered by key, into one result per key, page by page.
import type { ColumnSchema, WireRow } from '../core/query-runner.ts';

/** The first column of a batch. */
export const KEY_COLUMN: ColumnSchema = { name: 'key', type: 'STRING' };

/** Rows of one key, as the single query would have returned them; the next page may have more. */
export interface KeyPart {
  key: string;
  schema: ColumnSchema[];
  /** At most `rowCountMax` rows in all parts of a key. */
  rows: WireRow[];
  /** True if the key had more rows. */
  truncated: boolean;
}

/** Throws for rows that are not ordered by a first column `key`, or have an unknown key: no row may end up under another. */
export function createKeySplitter(keys: readonly string[], rowCountMax: number) {
  const awaited = new Set(keys);
  let schema: ColumnSchema[] = [];
  let currentKey: string | undefined;
  let rowCount = 0;

  return {
    /** The rows of the next page by key, in order. The last key may continue on the page after; the others are complete. */
    push(pageSchema: ColumnSchema[], rows: readonly WireRow[]): KeyPart[] {
      if (pageSchema[0]?.name !== KEY_COLUMN.name) {
        throw new Error('The first column of a batch must be key.');
      }
      schema = pageSchema.slice(1);
      const parts: KeyPart[] = [];
      for (const row of rows) {
        const [first, ...values] = row.f;
        const key = String(first?.v);
        let part = parts.at(-1);
        if (currentKey !== key) {
          if (!awaited.delete(key)) {
            throw new Error(
              keys.includes(key)
                ? 'A batch returned a key again after another key: its query does not order the rows by key.'
                : 'A batch returned an unknown key: its query must return key of @keys as it is.',
            );
          }
          currentKey = key;
          rowCount = 0;
        }
        if (part?.key !== key) {
          part = { key, schema, rows: [], truncated: false };
          parts.push(part);
        }
        rowCount += 1;
        if (rowCount <= rowCountMax) part.rows.push({ f: values });
        else part.truncated = true;
      }
      return parts;
    },
    /** An empty part for each key that had no rows. */
    finish(): KeyPart[] {
      const empty = [...awaited].map((key) => ({ key, schema, rows: [], truncated: false }));
      awaited.clear();
      return empty;
    },
  };
}
