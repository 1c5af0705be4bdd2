// Says of a table that a query names and sql/sources lacks what to do.
import type { PartitionedTable } from '../local/bigquery/partitions.ts';
import { pathParts } from '../../functions/endpoints/table-paths.ts';
import { sourceName, tablePlace } from '../sources/table-place.ts';

/** Completes GoogleSQL's message that a table was not found; undefined for another message. */
export function missingTable(
  message: string,
  sources: readonly PartitionedTable[],
): string | undefined {
  const [, written, hint] =
    /^Table not found: (.+?)(?:; (Did you mean .*\?))?$/.exec(message) ?? [];
  if (written === undefined) return undefined;
  const parts = pathParts(written);
  const [table = '', dataset] = parts.toReversed();
  for (const { name, definition } of sources) {
    const place = tablePlace({ name, definition: definition ?? {} });
    if (place.access !== 'granted' || place.project === undefined) continue;
    if (place.dataset !== dataset || parts.length !== 2) continue;
    const isNamed = definition?.shards
      ? table.startsWith(definition.shards.prefix)
      : table === sourceName(name).table;
    if (!isNamed) continue;
    const full = `\`${place.project}.${dataset}.${table}\``;
    return `${written}: BigQuery looks in the project in which the query runs, but table.json says ${place.project}: write ${full}`;
  }
  if (hint !== undefined) return `Table not found: ${written}; ${hint}`;
  const name = parts.slice(-2).join('.');
  if (table.endsWith('*')) {
    const folder = name.replace(/[_*]+$/, '');
    return `Table not found: ${written}: no source has such shards; add the folder sql/sources/${folder} with its schema.json, and shards in its table.json`;
  }
  return `Table not found: ${written}: no source has this name; add the folder sql/sources/${name} with its schema.json`;
}
