// Indents JSON text, with every digit and escape as it is.

/** A text, a bracket or separator, or a number and the like. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const INDENT = '  ';

/** At most about `lengthMax` characters: the time that it takes depends on them, and not on the length of the text. */
export function prettyJson(json: string, lengthMax: number): { text: string; isCut: boolean } {
  let [text, before, depth] = ['', '', 0];
  for (const [token] of json.matchAll(TOKENS)) {
    if (text.length > lengthMax) return { text: cut(text, lengthMax), isCut: true };
    const isEnd = token === '}' || token === ']';
    const isFirst = before === '{' || before === '[';
    if (isEnd) depth -= 1;
    if (isEnd !== isFirst || before === ',') text += `\n${INDENT.repeat(depth)}`;
    text += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  return text.length > lengthMax
    ? { text: cut(text, lengthMax), isCut: true }
    : { text, isCut: false };
}

/** At the end of a line, or within one that is too long itself. */
function cut(text: string, lengthMax: number): string {
  const end = text.lastIndexOf('\n', lengthMax);
  const shown = text.slice(0, end > lengthMax / 2 ? end : lengthMax);
  return `${shown.replace(/[\ud800-\udbff]$/, '')}\n…`;
}
