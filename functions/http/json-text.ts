// Splits a JSON text into its parts without parsing them, so that numbers keep every digit.

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [
  34, 92, 44, 123, 125, 91, 93,
];

/** The rows of a stored body, `{"result":[…]}`, each as its own JSON text. */
export function rowTexts(body: string): string[] {
  return elements(members(body).get('result') ?? '[]');
}

/** The values of an object by name, each as its own JSON text. The JSON must be valid. */
export function members(object: string): Map<string, string> {
  const found = new Map<string, string>();
  let position = skipTo(object, 1);
  while (object.charCodeAt(position) === QUOTE) {
    const nameEnd = endOfString(object, position);
    const name = JSON.parse(object.slice(position, nameEnd)) as string;
    const start = object.indexOf(':', nameEnd) + 1;
    const end = endOfValue(object, start);
    found.set(name, object.slice(start, end).trim());
    position = skipTo(object, end);
  }
  return found;
}

/** The elements of an array, each as its own JSON text. The JSON must be valid. */
function elements(list: string): string[] {
  const found: string[] = [];
  let position = skipTo(list, 1);
  while (position < list.length && list.charCodeAt(position) !== CLOSE_LIST) {
    const end = endOfValue(list, position);
    found.push(list.slice(position, end).trim());
    position = skipTo(list, end);
  }
  return found;
}

/** Skips white space and the comma between two parts. */
function skipTo(json: string, start: number): number {
  let position = start;
  for (;;) {
    const code = json.charCodeAt(position);
    if (code !== COMMA && code !== 32 && code !== 9 && code !== 10 && code !== 13) return position;
    position += 1;
  }
}

function endOfValue(json: string, start: number): number {
  let depth = 0;
  let position = start;
  while (position < json.length) {
    const code = json.charCodeAt(position);
    if (code === QUOTE) {
      position = endOfString(json, position);
      continue;
    }
    if (depth === 0 && (code === COMMA || code === CLOSE || code === CLOSE_LIST)) return position;
    if (code === OPEN || code === OPEN_LIST) depth += 1;
    if (code === CLOSE || code === CLOSE_LIST) depth -= 1;
    position += 1;
  }
  return position;
}

function endOfString(json: string, start: number): number {
  let position = start + 1;
  while (position < json.length && json.charCodeAt(position) !== QUOTE) {
    position += json.charCodeAt(position) === BACKSLASH ? 2 : 1;
  }
  return position + 1;
}
