// Rewrites GROUP BY ALL, which the engine lacks, to the numbers of the columns to group by.
import { closingBracket } from '../../../lexer/brackets.ts';
import { type Token, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { type MappedText, rewritten } from '../../analysis/mapped-text.ts';
import {
  clausesAround,
  isAggregateCall,
  isStar,
  ownAggregates,
  selectItems,
} from './query-clauses.ts';

/** Columns without an aggregate, a window function and a constant. With `SELECT *` the text is not changed. */
export function withoutGroupByAll(sql: string): MappedText {
  const all = tokens(sql);
  const own = ownAggregates(all);
  const edits = all.flatMap((group, index) => {
    const last = all[index + 2];
    if (!isWord(group, 'GROUP') || !isWord(all[index + 1], 'BY') || !isWord(last, 'ALL')) return [];
    const select = clausesAround(all, index).get('SELECT');
    if (!select || !last) return [];
    const items = selectItems(all, select);
    if (items.some(isStar)) return [];
    const numbers = items.flatMap((item, position) => (isGrouped(item, own) ? [position + 1] : []));
    // Without a column to group by, all rows are one group; without an aggregate too, a constant has to say so.
    const isOneGroup = items.some((item) => item.some((_, at) => isAggregateCall(item, at, own)));
    const none = isOneGroup ? '' : 'GROUP BY IF(TRUE, 1, 1)';
    const text = numbers.length === 0 ? none : `GROUP BY ${numbers.join(', ')}`;
    return [{ start: group.start, end: last.end, pieces: [text] }];
  });
  return rewritten(sql, edits);
}

const CONSTANTS = /^(?:NULL|TRUE|FALSE|DATE|DATETIME|TIME|TIMESTAMP|NUMERIC|BIGNUMERIC|JSON)$/i;

function isGrouped(item: readonly Token[], own: ReadonlySet<string>): boolean {
  let isConstant = true;
  for (let index = 0; index < item.length; index++) {
    const token = item[index];
    if (isWord(token, 'AS') && index === item.length - 2) break;
    if (isAggregateCall(item, index, own) || isWord(token, 'OVER')) return false;
    if (isSymbol(token, '(') && /^(?:SELECT|WITH|FROM)$/i.test(item[index + 1]?.text ?? '')) {
      index = closingBracket(item, index) ?? item.length;
      isConstant = false;
    }
    const isName =
      token?.kind === 'quoted' || (token?.kind === 'word' && !CONSTANTS.test(token.text));
    if (isName) isConstant = false;
  }
  return !isConstant;
}
