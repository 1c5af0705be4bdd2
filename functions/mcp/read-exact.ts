// Reads JSON without what JSON.parse loses: the digits of numbers, and names that an object gives more than once.

/** What structures JSON, a text, or any other value. */
const TOKEN = /[{}[\]]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+/g;

type Fields = Record<string, unknown>;

interface Open {
  value: unknown[] | Fields;
  /** The name in an object whose value comes next. */
  name: string | undefined;
}

/**
 * As JSON.parse, which must have accepted the text, but a number is a symbol with its text, which no check takes for another
 * type; a name that is given twice is undefined; objects have no prototype, so no other names. Depth takes no stack.
 */
export function readExact(json: string): unknown {
  const root: unknown[] = [];
  const open: Open[] = [{ value: root, name: undefined }];
  for (const [token] of json.matchAll(TOKEN)) {
    const around = open.at(-1);
    if (around === undefined || token === '}' || token === ']') {
      open.pop();
    } else if (around.name === undefined && !Array.isArray(around.value)) {
      around.name = JSON.parse(token) as string;
    } else {
      const value = valueOf(token);
      put(around, value);
      if (token === '{' || token === '[') {
        open.push({ value: value as Open['value'], name: undefined });
      }
    }
  }
  return root[0];
}

function valueOf(token: string): unknown {
  if (token === '{') return Object.create(null);
  if (token === '[') return [];
  return /^[-\d]/.test(token) ? Symbol(token) : JSON.parse(token);
}

function put(around: Open, value: unknown): void {
  if (Array.isArray(around.value)) {
    around.value.push(value);
  } else if (around.name !== undefined) {
    around.value[around.name] = Object.hasOwn(around.value, around.name) ? undefined : value;
    around.name = undefined;
  }
}
