// Writes a call in the languages of languages.txt, a table of templates, whose `{names}` are filled in.
import { shellQuote } from '../shell-quote.ts';
import { type Endpoint, type Parameters, pathOf } from '../service.ts';

/** With what a call is authenticated: an API key, or a token. */
export const API_KEY = {
  noun: 'key',
  /** The environment variable that contains it. */
  variable: 'API_KEY',
  header: 'X-API-KEY',
  /** In front of it in the header. */
  scheme: '',
  /** Where a web page has it. */
  inPage: 'Never put a key into a web page.',
};
export const TOKEN: Credential = {
  noun: 'token',
  variable: 'API_TOKEN',
  header: 'Authorization',
  scheme: 'Bearer ',
  inPage: 'In a web page, put the token of its user in place of `process.env.API_TOKEN`.',
};
type Credential = typeof API_KEY;

interface Call {
  /** The origin of the service, such as `https://queries.example.com`. */
  origin: string;
  endpoint: Pick<Endpoint, 'path' | 'row'>;
  parameters: Parameters;
  credential: Credential;
}

/** Controls, formats such as U+202E, and line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** How to write any text as a literal of a language, as it is. Invisible characters, which could also reorder what is shown, are escaped. */
const QUOTES: Record<string, (text: string) => string> = {
  shell: shellQuote,
  javascript: (text) => escaped(JSON.stringify(text), (hex) => `\\u{${hex}}`),
  // It reads the other escapes of JSON.
  python: (text) => escaped(JSON.stringify(text), (hex) => `\\U${hex.padStart(8, '0')}`),
  // https://learn.microsoft.com/powerquery-m/m-spec-lexical-structure#text-literals
  m(text) {
    // `#(` would begin an escape.
    const literal = text.replaceAll('"', '""').replaceAll('#(', '#(#)(');
    return `"${escaped(literal, (hex) => `#(${hex.padStart(8, '0')})`)}"`;
  },
};

function escaped(text: string, write: (hex: string) => string): string {
  return text.replaceAll(INVISIBLE, (character) =>
    write((character.codePointAt(0) ?? 0).toString(16)),
  );
}

/** Of the text of languages.txt. */
export function readLanguages(text: string) {
  return text
    .split('\n## ')
    .slice(1)
    .map((section) => {
      const [label = '', quote = '', hint = '', , ...lines] = section.trimEnd().split('\n');
      return { label, quote: QUOTES[quote] ?? shellQuote, hint, lines };
    });
}
type Language = ReturnType<typeof readLanguages>[number];

export function writeCall({ quote, lines }: Language, call: Call): string {
  const { origin, endpoint, parameters, credential } = call;
  const { path, row } = endpoint;
  const values = {
    ...credential,
    origin: quote(origin),
    relative: quote(path.slice(1)),
    url: quote(origin + path),
    base: quote(`${origin}${path}?`),
    call: quote(origin + pathOf(endpoint, parameters)),
    mcp: quote(`${origin}/mcp`),
    columns: row.map(({ name }) => quote(name)).join(', '),
    fields: [...new Set(parameters.keys())]
      .map((name) => {
        const texts = parameters.getAll(name).map(quote);
        const value = texts.length === 1 ? texts[0] : `{${texts.join(', ')}}`;
        // Quoted, a name may also be a keyword.
        return `\n            #${quote(name)} = ${value}`;
      })
      .join(','),
  };
  return lines
    .flatMap((line) =>
      line.includes('{name}')
        ? [...parameters].map(([name, value]) =>
            fill(line, { ...values, name: quote(name), value: quote(value) }),
          )
        : [fill(line, values)],
    )
    .join('\n');
}

/** In one pass: what is filled in is not read again. Braces around anything else stay. */
export function fill(template: string, values: Record<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
