// Rewrites approximate aggregates, which the reference engine cannot run, to exact expressions.
import { callArguments, textOf } from '../../../lexer/brackets.ts';
import { applyEdits, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import type { Edit, Token } from '../../../lexer/sql-tokens.ts';

const functionName = 'local_quantiles_of_sorted_array';

/**
 * The SQL function that replaces APPROX_QUANTILES: returns the `number + 1` nearest-rank quantiles of the
 * sorted `items`. Element 0 is the minimum, element `number` the maximum; NULL if there are no items.
 */
export const quantilesFunction = {
  name: functionName,
  argumentNames: ['items', 'number'],
  body: `IF(
    items IS NULL OR ARRAY_LENGTH(items) = 0,
    NULL,
    ARRAY(
      SELECT items[OFFSET(GREATEST(DIV(quantile * ARRAY_LENGTH(items) + number - 1, number) - 1, 0))]
      FROM UNNEST(GENERATE_ARRAY(0, number)) AS quantile
      ORDER BY quantile
    )
  )`,
} as const;

/**
 * Rewrites `APPROX_QUANTILES([DISTINCT] x, n [{IGNORE | RESPECT} NULLS])` to the function above over
 * a sorted `ARRAY_AGG`, and `APPROX_COUNT_DISTINCT(x)` to `COUNT(DISTINCT x)`, at any depth. Text
 * that the engine's parser would refuse is not changed, so that the engine reports the error.
 */
export function exactAggregates(sql: string): string {
  const all = tokens(sql);
  const edits: Edit[] = [];
  for (let index = 0; index < all.length; index++) {
    const [name, open] = [all[index], all[index + 1]];
    if (!name || !isSymbol(open, '(') || isSymbol(all[index - 1], '.')) continue;
    if (isWord(name, 'APPROX_COUNT_DISTINCT')) {
      edits.push({ start: name.start, end: open?.end ?? name.end, text: 'COUNT(DISTINCT ' });
    }
    if (isWord(name, 'APPROX_QUANTILES')) {
      const call = callArguments(all, index + 1);
      const text = call && quantiles(sql, call.list);
      if (call === undefined || text === undefined) continue;
      edits.push({ start: name.start, end: all[call.close]?.end ?? name.end, text });
      index = call.close;
    }
  }
  return applyEdits(sql, edits);
}

function quantiles(sql: string, [values = [], rest]: readonly Token[][]): string | undefined {
  if (rest === undefined) return undefined;
  const distinct = isWord(values[0], 'DISTINCT');
  const respect = isWord(rest.at(-2), 'RESPECT') && isWord(rest.at(-1), 'NULLS');
  const ignore = isWord(rest.at(-2), 'IGNORE') && isWord(rest.at(-1), 'NULLS');
  const value = exactAggregates(textOf(sql, distinct ? values.slice(1) : values));
  const number = textOf(sql, respect || ignore ? rest.slice(0, -2) : rest);
  if (!value || !number) return undefined;
  const nulls = respect ? 'RESPECT' : 'IGNORE';
  const list = `ARRAY_AGG(${distinct ? 'DISTINCT ' : ''}${value} ${nulls} NULLS ORDER BY ${value})`;
  return `${functionName}(${list}, ${number})`;
}
