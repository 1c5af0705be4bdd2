// Compares expressions by their text, without letter case, quotes, and the names of tables before columns.
import { closingBracket } from '../../../lexer/brackets.ts';
import { type Token, isSymbol } from '../../../lexer/sql-tokens.ts';

export function nameOf(part: readonly Token[]): string {
  return units(part).join(' ');
}

/** `a` and `t.a` are the same column where `t` is a table, and others where it is a STRUCT. */
export function isSameExpression(
  one: readonly Token[],
  other: readonly Token[],
  tables: ReadonlySet<string>,
): boolean {
  const [left, right] = [units(bare(one)), units(bare(other))];
  return (
    left.length === right.length &&
    left.every((unit, index) => isSameUnit(unit, right[index] ?? '', tables))
  );
}

function bare(part: readonly Token[]): readonly Token[] {
  const isBracketed = isSymbol(part[0], '(') && closingBracket(part, 0) === part.length - 1;
  return isBracketed ? bare(part.slice(1, -1)) : part;
}

function units(part: readonly Token[]): string[] {
  const found: string[] = [];
  let isOpen = false;
  for (const token of part) {
    const isDot = isSymbol(token, '.');
    if (isDot || isOpen) found.push(`${found.pop() ?? ''}${textOf(token)}`);
    else found.push(textOf(token));
    isOpen = isDot;
  }
  return found;
}

function textOf({ kind, text }: Token): string {
  if (kind === 'string') return text.replace(/^'([^'"\\\n]*)'$/, '"$1"');
  return text.replaceAll('`', '').toLowerCase();
}

function isSameUnit(one: string, other: string, tables: ReadonlySet<string>): boolean {
  return (
    one === other || withoutTable(one, tables) === other || one === withoutTable(other, tables)
  );
}

function withoutTable(name: string, tables: ReadonlySet<string>): string | undefined {
  const dot = name.indexOf('.');
  return tables.has(name.slice(0, Math.max(dot, 0))) ? name.slice(dot + 1) : undefined;
}
