// Refuses functions with WITH RECURSIVE over their arguments: it cannot become a subquery, and the engine takes none inside WITH.
import { levelEnd } from '../../../lexer/brackets.ts';
import { isWord, nameOf, tokens } from '../../../lexer/sql-tokens.ts';
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
      all.slice(index, levelEnd(all, index)).some((one) => names.has(nameOf(one))),
  );
  if (isOver) {
    throw new GoogleSqlError(
      'unsupported',
      `function ${name} has WITH RECURSIVE over its arguments`,
    );
  }
}
