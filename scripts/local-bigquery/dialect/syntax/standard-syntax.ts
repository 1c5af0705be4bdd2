// Rewrites the syntax that BigQuery has and the engine's parser lacks.
import { withoutChainedFunctions } from './chained-functions.ts';
import { withoutGroupByAll } from './group-by-all.ts';
import { type MappedText, chained } from './mapped-text.ts';
import { withoutPipes } from './pipe-syntax.ts';
import { withoutByName } from './set-operations-by-name.ts';
import { requireWindows } from './window-only.ts';

/**
 * The same text where it has nothing of the kind. Throws `GoogleSqlError` for what cannot be rewritten, and for what
 * the engine takes and BigQuery does not.
 */
export function standardSyntax(sql: string): MappedText {
  requireWindows(sql);
  return [withoutByName, withoutGroupByAll, withoutChainedFunctions].reduce(
    (mapped, rewrite) => chained(mapped, rewrite),
    withoutPipes(sql),
  );
}
