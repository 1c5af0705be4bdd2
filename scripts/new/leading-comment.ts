// Reads the comment that a query begins with: the question, what one row is, and the cost.
import { tokens } from '../lexer/sql-tokens.ts';

/** The text before the first token, without the marks of comments; empty if there is none. */
export function leadingComment(sql: string): string {
  const end = tokens(sql)[0]?.start ?? sql.length;
  return sql
    .slice(0, end)
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:--|#|\/\*+|\*(?!\/))?\s?/, '').replace(/\s*\*+\/\s*$/, ''))
    .join('\n')
    .trim();
}

/** The description in a leading comment: its text up to the line of the cost. */
export function describedBy(comment: string): string {
  const [question = ''] = comment.split(/^cost:/im);
  return question
    .replace(/^query\.sql:/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
