// Finds accidents of Markdown: what was written as code, a list, a table or emphasis, and is rendered as text.
import { type Token, type Tokens, marked } from 'marked';

/** A line that was meant as an item, a row, a heading, a fence or a formula. */
const MEANT = /^ *(?:[-*+] |\d+[.)] |\||#{1,6} |```|~~~|\p{L}+(?: \p{L}+)? *[=≤≥] )/u;
/** What no sentence has. */
const MARKUP = /\*\*|`|\|\s*:?--|\]\(/;
/** Several in one paragraph. */
const JOINED = [
  /[\p{L}\d] +[=≤≥] .*[\p{L}\d] +[=≤≥] /u,
  /(?:^| )1[.)] .* 2[.)] /,
  / [-*+] .* [-*+] /,
];
/** Others disappear: `<name>` must be code. */
const TAG = /^<(?:!--|\/?(?:br|details|img|kbd|summary)\b)/;

/** Each `what: text`, in the order of the page. Words in words (`a_b`) and escapes (`\*`) are text on purpose. */
export function renderedFaults(markdown: string): string[] {
  const faults: string[] = [];
  const report = (what: string, text: string): void => {
    faults.push(`${what}: ${text.trim().replaceAll(/\s+/g, ' ').slice(0, 60)}`);
  };
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    switch (token.type) {
      case 'paragraph':
        return inParagraph(token.raw);
      case 'text':
        if (isParent(token)) return inParagraph(token.raw);
        if (MARKUP.test(token.raw)) report('markup in text', token.raw);
        return undefined;
      case 'code':
        return inCode(token as Tokens.Code);
      case 'codespan':
        return token.raw.includes('\n') ? report('code over two lines', token.raw) : undefined;
      case 'table':
        return inTable(token as Tokens.Table);
      case 'heading':
        return token.raw.startsWith('#') ? undefined : report('underlined text', token.raw);
      case 'html':
        return TAG.test(token.raw.trim()) ? undefined : report('tag', token.raw);
      default:
        return undefined;
    }
  });
  return faults;

  function inParagraph(raw: string): void {
    const lines = raw.replaceAll(/`[^`]+`/g, 'code').split('\n');
    const meant = lines.find((line) => MEANT.test(line));
    if (meant !== undefined) report('line in a paragraph', meant);
    else if (JOINED.some((pattern) => pattern.test(lines.join(' ')))) report('joined lines', raw);
  }

  function inCode({ raw, codeBlockStyle, text }: Tokens.Code): void {
    const [fence = ''] = /^ *(?:`{3,}|~{3,})/.exec(raw) ?? [];
    if (codeBlockStyle === 'indented') report('code without a fence', raw);
    else if (!raw.trimEnd().endsWith(fence.trim())) report('fence without an end', raw);
    const joined = text.split('\n').find((line) => /^[^#]*\S {2,}[=≤≥].*\S {2,}[=≤≥] /.test(line));
    if (joined !== undefined) report('joined lines', joined);
  }

  function inTable({ raw, header }: Tokens.Table): void {
    const rows = raw.trimEnd().split('\n');
    const isOther = (row: string): boolean => row.split(/(?<!\\)\|/).length !== header.length + 2;
    rows.filter(isOther).forEach((row) => report('row with another number of cells', row));
  }
}

function isParent(token: Token): boolean {
  return 'tokens' in token && token.tokens !== undefined;
}
