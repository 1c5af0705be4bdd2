// Writes a call in M, the language of Power Query in Excel and Power BI.
import { type Call, INVISIBLE, type Language, headerValue } from './snippet.ts';

export const powerQuery: Language = {
  id: 'power-query',
  label: 'Power Query',
  hint: ({ noun, placeholder }) =>
    `For Excel and Power BI: New query, Blank query, Advanced editor. Put the ${noun} in place of \`${placeholder}\`. If credentials are asked for, choose Anonymous.`,
  write: (call) => [{ text: textOf(call) }],
};

/** With the path separate from the address, Power BI can refresh the query by itself. */
function textOf({ origin, endpoint, parameters, credential }: Call): string {
  const query = Object.entries(parameters).map(([name, values]) => {
    const texts = values.map(quote);
    return `${quoteName(name)} = ${texts.length === 1 ? texts[0] : `{${texts.join(', ')}}`}`;
  });
  const columns = endpoint.row.map(({ name }) => quote(name)).join(', ');
  const name = credential.noun === 'key' ? 'ApiKey' : 'Token';
  return `let
    ${name} = "${credential.placeholder}",
    Answer = Web.Contents(${quote(origin)}, [
        RelativePath = ${quote(endpoint.path.replace(/^\//, ''))},
        Query = [${query.map((field) => `\n            ${field}`).join(',')}
        ],
        Headers = [#"${credential.header}" = ${headerValue(credential, name, '&')}, Accept = "application/json"]
    ]),
    Rows = Json.Document(Answer)[result]
in
    Table.FromRecords(Rows, {${columns}}, MissingField.UseNull)`;
}

/** https://learn.microsoft.com/powerquery-m/m-spec-lexical-structure#text-literals */
function quote(text: string): string {
  const escaped = text
    .replaceAll('"', '""')
    // Otherwise it would begin an escape.
    .replaceAll('#(', '#(#)(')
    .replaceAll(INVISIBLE, escape);
  return `"${escaped}"`;
}

/** An escape has 4 or 8 digits. */
function escape(character: string): string {
  const digits = character.codePointAt(0)?.toString(16).toUpperCase() ?? '';
  return `#(${digits.padStart(digits.length > 4 ? 8 : 4, '0')})`;
}

/** A name of a field. Quoted, it may also be a keyword. */
function quoteName(name: string): string {
  return `#${quote(name)}`;
}
