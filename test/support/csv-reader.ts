// An independent reader of RFC 4180 that keeps whether a cell was quoted.

interface Cell {
  text: string;
  isQuoted: boolean;
}

/** Throws for anything but what RFC 4180 allows; every line has to end with CRLF. */
export function readCsv(csv: string): Cell[][] {
  const lines: Cell[][] = [];
  let line: Cell[] = [];
  let rest = csv;
  while (rest !== '') {
    const cell = readCell(rest);
    line.push(cell);
    rest = rest.slice(cell.length);
    if (rest.startsWith(',')) {
      rest = rest.slice(1);
    } else if (rest.startsWith('\r\n')) {
      rest = rest.slice(2);
      lines.push(line);
      line = [];
    } else {
      throw new Error(`Neither a comma nor CRLF: ${JSON.stringify(rest.slice(0, 20))}`);
    }
  }
  if (line.length > 0) throw new Error('The last line has no end.');
  return lines;
}

function readCell(rest: string): Cell & { length: number } {
  if (!rest.startsWith('"')) {
    const text = /^[^",\r\n]*/.exec(rest)?.[0] ?? '';
    return { text, isQuoted: false, length: text.length };
  }
  let text = '';
  let position = 1;
  for (;;) {
    if (position >= rest.length) throw new Error('A quoted cell has no end.');
    if (rest[position] === '"' && rest[position + 1] !== '"') break;
    text += rest[position] ?? '';
    position += rest[position] === '"' ? 2 : 1;
  }
  return { text, isQuoted: true, length: position + 1 };
}
