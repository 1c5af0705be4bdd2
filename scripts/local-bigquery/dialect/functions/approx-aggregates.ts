// Rewrites approximate aggregates, which the reference engine cannot run, to exact expressions.
import { callArguments, textOf } from '../../../lexer/brackets.ts';
import { type Token, isSymbol, isWord, replaceTokens } from '../../../lexer/sql-tokens.ts';
import { define } from '../../values/sql-function.ts';

/**
 * Replaces APPROX_QUANTILES: returns the `number + 1` nearest-rank quantiles of the sorted `items`. Element 0 is
 * the minimum, element `number` the maximum; NULL if there are no items.
 */
export const quantilesFunction = define(
  'local_quantiles_of_sorted_array',
  { items: undefined, number: undefined },
  `IF(
    items IS NULL OR ARRAY_LENGTH(items) = 0,
    NULL,
    ARRAY(
      SELECT items[OFFSET(GREATEST(DIV(quantile * ARRAY_LENGTH(items) + number - 1, number) - 1, 0))]
      FROM UNNEST(GENERATE_ARRAY(0, number)) AS quantile
      ORDER BY quantile
    )
  )`,
);

/**
 * Rewrites `APPROX_QUANTILES([DISTINCT] x, n [{IGNORE | RESPECT} NULLS])` to the function above over
 * a sorted `ARRAY_AGG`, and `APPROX_COUNT_DISTINCT(x)` to `COUNT(DISTINCT x)`, at any depth. Text
 * that the engine's parser would refuse is not changed, so that the engine reports the error.
 */
export function exactAggregates(sql: string): string {
  return replaceTokens(sql, (name, index, all) => {
    if (!isSymbol(all[index + 1], '(') || isSymbol(all[index - 1], '.')) return undefined;
    if (isWord(name, 'APPROX_COUNT_DISTINCT')) return { last: index + 1, text: 'COUNT(DISTINCT ' };
    const call = isWord(name, 'APPROX_QUANTILES') ? callArguments(all, index + 1) : undefined;
    const text = call && quantiles(sql, call.list);
    return text === undefined ? undefined : { last: call?.close ?? index, text };
  });
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
  return `${quantilesFunction.name}(${list}, ${number})`;
}
