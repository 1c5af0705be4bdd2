// Rewrites the syntax that BigQuery has and the engine's parser lacks.
import { withoutChainedFunctions } from './chained-functions.ts';
import { withoutGroupByAll } from './group-by-all.ts';
import { withGroupKeys } from './group-keys.ts';
import { chained } from './mapped-text.ts';
import type { MappedText } from './mapped-text.ts';
import { withoutPipes } from './pipe-syntax.ts';
import type { KnownColumns } from './pipe-syntax.ts';
import { withoutByName } from './set-operations-by-name.ts';
import { refuseSyntax } from './refused-syntax.ts';

/**
 * The same text where it has nothing of the kind. Throws `GoogleSqlError` for what cannot be rewritten, and for what
 * the engine takes and BigQuery does not; and `ColumnsNeeded`, to be called again with the columns of a query.
 */
export function standardSyntax(sql: string, columns: KnownColumns = new Map()): MappedText {
  refuseSyntax(sql);
  return [withoutByName, withoutGroupByAll, withGroupKeys, withoutChainedFunctions].reduce(
    (mapped, rewrite) => chained(mapped, rewrite),
    withoutPipes(sql, columns),
  );
}
