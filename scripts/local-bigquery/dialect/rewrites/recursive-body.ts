// Refuses functions with WITH RECURSIVE over their arguments: it cannot become a subquery, and the engine takes none inside WITH.
import { isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import type { Token } from '../../../lexer/sql-tokens.ts';
import { GoogleSqlError } from '../../engine/error.ts';
import type { SqlFunction } from '../../values/sql-function.ts';

/** Throws a `GoogleSqlError` of the kind `unsupported`. */
export function refuseRecursiveBody({ name, arguments: list, body }: SqlFunction): void {
  const names = new Set(list.map((argument) => argument.name.toLowerCase()));
  const all = tokens(body);
  const isOver = all.some(
    (token, index) =>
      isWord(token, 'WITH') &&
      isWord(all[index + 1], 'RECURSIVE') &&
      queryAt(all, index).some(({ text }) => names.has(text.replaceAll('`', '').toLowerCase())),
  );
  if (isOver) {
    throw new GoogleSqlError(
      'unsupported',
      `function ${name} has WITH RECURSIVE over its arguments`,
    );
  }
}

/** The tokens to the bracket that closes around them. */
function queryAt(all: readonly Token[], start: number): readonly Token[] {
  let depth = 0;
  const end = all.findIndex((token, index) => {
    if (index < start) return false;
    if (isSymbol(token, '(')) depth++;
    if (isSymbol(token, ')')) depth--;
    return depth < 0;
  });
  return all.slice(start, end < 0 ? undefined : end);
}
