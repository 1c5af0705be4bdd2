// Rewrites BigQuery syntax that the engine's parser lacks, and refuses syntax that only the engine accepts.
import { closingBracket } from '../../../lexer/brackets.ts';
import { type Tokens, isName, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import { withGroupKeys } from './group-keys.ts';
import { type MappedText, chained, errorAt, rewritten } from '../../analysis/mapped-text.ts';
import { withoutPipes } from './pipe-syntax.ts';
import {
  clausesAround,
  isAggregateCall,
  isStar,
  ownAggregates,
  selectItems,
} from '../../../lexer/query-clauses.ts';

/**
 * The same text if it contains no such syntax. Throws `GoogleSqlError` for what cannot be rewritten, and for what only
 * the engine accepts.
 */
export function standardSyntax(sql: string): MappedText {
  refuseSyntax(sql);
  return [withoutGroupByAll, withGroupKeys].reduce(
    (mapped, rewrite) => chained(mapped, rewrite),
    withoutPipes(sql),
  );
}

/** What BigQuery does not accept (PERCENTILE_CONT and PERCENTILE_DISC as aggregates, EXCEPT ALL, INTERSECT ALL), and what does not run here. */
function refuseSyntax(sql: string): void {
  const all = tokens(sql);
  for (const [index, token] of all.entries()) {
    const name = token.text.toUpperCase();
    const next = all[index + 1];
    const isOperation = isWord(token, 'EXCEPT') || isWord(token, 'INTERSECT');
    if (isOperation && isWord(next, 'ALL')) {
      throw errorAt(sql, token.start, `${name} ALL is not supported: use ${name} DISTINCT`);
    }
    if (isByName(all, index)) {
      const message = 'BY NAME is not supported locally (list the columns in the same order)';
      throw errorAt(sql, token.start, message, 'unsupported');
    }
    const isChained = isSymbol(token, ')') && isSymbol(next, '.') && isSymbol(all[index + 3], '(');
    if (isChained) {
      const message = `a function call after a dot is not supported locally (write ${all[index + 2]?.text}(…))`;
      throw errorAt(sql, all[index + 2]?.start ?? token.end, message, 'unsupported');
    }
    const isWindow = isWord(token, 'PERCENTILE_CONT') || isWord(token, 'PERCENTILE_DISC');
    const close = isWindow && isSymbol(next, '(') ? closingBracket(all, index + 1) : undefined;
    if (close !== undefined && !isWord(all[close + 1], 'OVER')) {
      const message = `Analytic function ${name} cannot be called without an OVER clause`;
      throw errorAt(sql, token.start, message);
    }
  }
}

/** UNION ALL BY NAME and its kin. */
function isByName(all: Tokens, index: number): boolean {
  const words = all.slice(Math.max(index - 2, 0), index + 2).map(({ text }) => text.toUpperCase());
  return /^(?:UNION|INTERSECT|EXCEPT) (?:ALL|DISTINCT) BY NAME$/.test(words.join(' '));
}

/** Groups by the columns without an aggregate or a window function that are not constants. `SELECT *` is not changed. */
function withoutGroupByAll(sql: string): MappedText {
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
    // Without a column to group by, all rows are one group; without an aggregate too, that needs a constant in GROUP BY.
    const isOneGroup = items.some((item) => item.some((_, at) => isAggregateCall(item, at, own)));
    const none = isOneGroup ? '' : 'GROUP BY IF(TRUE, 1, 1)';
    const text = numbers.length === 0 ? none : `GROUP BY ${numbers.join(', ')}`;
    return [{ start: group.start, end: last.end, pieces: [text] }];
  });
  return rewritten(sql, edits);
}

const CONSTANTS = /^(?:NULL|TRUE|FALSE|DATE|DATETIME|TIME|TIMESTAMP|NUMERIC|BIGNUMERIC|JSON)$/i;

function isGrouped(item: Tokens, own: ReadonlySet<string>): boolean {
  let isConstant = true;
  for (let index = 0; index < item.length; index++) {
    const token = item[index];
    if (isWord(token, 'AS') && index === item.length - 2) break;
    if (isAggregateCall(item, index, own) || isWord(token, 'OVER')) return false;
    if (isSymbol(token, '(') && /^(?:SELECT|WITH|FROM)$/i.test(item[index + 1]?.text ?? '')) {
      index = closingBracket(item, index) ?? item.length;
      isConstant = false;
    }
    const isWordOfConstant = token?.kind === 'word' && CONSTANTS.test(token.text);
    if (isName(token) && !isWordOfConstant) isConstant = false;
  }
  return !isConstant;
}
