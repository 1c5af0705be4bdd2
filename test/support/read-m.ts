// Reads M, the language of Power Query, with Microsoft's parser.
import { DefaultSettings, Language, TaskUtils } from '@microsoft/powerquery-parser';

const { Identifier, TextLiteral } = Language.Token.TokenKind;

/** The texts of an expression, by the last quoted name in front of them. Throws the parser's error. */
export async function readM(expression: string): Promise<Record<string, string[]>> {
  const task = await TaskUtils.tryLexParse(DefaultSettings, expression);
  if (!TaskUtils.isParseStageOk(task)) throw task.error;
  let texts: string[] = [];
  const byName: Record<string, string[]> = { '': texts };
  for (const { kind, data } of task.lexerSnapshot.tokens) {
    if (kind === Identifier && data.startsWith('#"')) byName[decode(data.slice(1))] = texts = [];
    else if (kind === TextLiteral) texts.push(decode(data));
  }
  return byName;
}

/** The parser leaves the escapes in a text. https://learn.microsoft.com/powerquery-m/m-spec-lexical-structure#text-literals */
function decode(literal: string): string {
  const characters: Record<string, string> = { lf: '\n', cr: '\r', tab: '\t', '#': '#' };
  return literal
    .slice(1, -1)
    .replaceAll('""', '"')
    .replaceAll(/#\(([^)]*)\)/g, (_, escapes: string) =>
      escapes
        .split(',')
        .map((escape) => characters[escape] ?? String.fromCodePoint(Number.parseInt(escape, 16)))
        .join(''),
    );
}
