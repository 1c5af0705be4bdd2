// The languages in which a call is shown, the first at the start: a table of templates, whose `{names}` are filled in.
import { shellQuote } from '../../shell-quote.ts';
import { type Endpoint, type Parameters, pairsOf, pathOf } from '../../service.ts';
import { quoteJson, quoteM, quotePython } from './quotes.ts';

/** With what a call is authenticated: an API key, or a token. */
export const API_KEY = {
  noun: 'key',
  /** The environment variable that contains it. */
  variable: 'API_KEY',
  placeholder: '<your API key>',
  /** As Power Query names it. */
  identifier: 'ApiKey',
  header: 'X-API-KEY',
  /** In front of it in the header. */
  scheme: '',
  /** Where a web page has it. */
  inPage: 'Never put a key into a web page.',
};
export const TOKEN: Credential = {
  noun: 'token',
  variable: 'API_TOKEN',
  placeholder: '<your token>',
  identifier: 'Token',
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

interface Language {
  id: string;
  label: string;
  /** Where it runs, and where the API key or the token goes; code is between backticks. */
  hint: string;
  quote: (text: string) => string;
  /** The key or the token, and what joins it to the scheme in front of it. */
  secret?: string;
  join?: '+' | '&';
  /** For each value. */
  pair?: string;
  /** To be pasted as it is; without the key or the token. */
  template: string;
}

export const LANGUAGES: readonly [Language, ...Language[]] = [
  {
    id: 'curl',
    label: 'curl',
    hint: "For bash and zsh. Set the {noun} first: `export {variable}='{placeholder}'`. It asks again while the query runs; without `--fail` and `--retry` it shows the text of an error.",
    quote: shellQuote,
    // As long as a query may run by default.
    template: `curl --compressed --fail --retry 20 --retry-max-time 600 -H "{header}: {scheme}\${variable}" \\
  {call}`,
  },
  {
    id: 'javascript',
    label: 'JavaScript',
    hint: 'For Node.js 18 and later, in a module (`.mjs`). It reads the {noun} from the environment variable `{variable}`. {inPage}',
    quote: quoteJson,
    secret: 'process.env.{variable}',
    pair: '  [{name}, {value}],\n',
    template: `const url = new URL({url});
url.search = new URLSearchParams([
{pairs}]);
const headers = { "{header}": {secret}, Prefer: "wait=60" };
let response = await fetch(url, { headers });
while (response.status === 202) { // The query goes on.
  const seconds = Number(response.headers.get("Retry-After"));
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  response = await fetch(url, { headers });
}
if (!response.ok) throw new Error(await response.text());
const { result } = await response.json();
console.log(result);`,
  },
  {
    id: 'python',
    label: 'Python',
    hint: 'For Python 3.6 and later, without packages. It reads the {noun} from the environment variable `{variable}`.',
    quote: quotePython,
    secret: 'os.environ["{variable}"]',
    pair: '    ({name}, {value}),\n',
    // The empty line after the block ends it where the text is pasted into a Python prompt.
    template: `import json
import os
import time
import urllib.parse
import urllib.request

query = urllib.parse.urlencode([
{pairs}])
request = urllib.request.Request(
    {base} + query,
    headers={"{header}": {secret}, "Prefer": "wait=60"},
)
while True:
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    if response.status != 202:
        break
    time.sleep(int(response.headers["Retry-After"]))  # The query goes on.

print(json.dumps(answer["result"], indent=2))`,
  },
  {
    id: 'apps-script',
    label: 'Apps Script',
    hint: 'For Google Sheets: Extensions, Apps Script; then `=savedQuery()` in a cell. Store the {noun} under Project Settings, Script properties, as `{variable}`.',
    quote: quoteJson,
    secret: '{noun}',
    pair: '    [{name}, {value}],\n',
    template: `function savedQuery() {
  const {noun} = PropertiesService.getScriptProperties().getProperty("{variable}");
  const query = [
{pairs}  ].map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  const response = UrlFetchApp.fetch({base} + query, {
    // A cell waits for 30 s at most: 202 tells when to try again.
    headers: { "{header}": {secret}, Prefer: "wait=20" },
    muteHttpExceptions: true,
  });
  if (response.getResponseCode() !== 200) throw new Error(response.getContentText());
  const rows = JSON.parse(response.getContentText()).result;
  const columns = [{columns}];
  return [columns, ...rows.map((row) => columns.map((name) => row[name] instanceof Object ? JSON.stringify(row[name]) : row[name]))];
}`,
  },
  {
    id: 'power-query',
    label: 'Power Query',
    hint: 'For Excel and Power BI: New query, Blank query, Advanced editor. Put the {noun} in place of `{placeholder}`. If credentials are asked for, choose Anonymous.',
    quote: quoteM,
    secret: '{identifier}',
    join: '&',
    // With the path separate from the address, Power BI can refresh the query by itself.
    template: `let
    {identifier} = "{placeholder}",
    Answer = Web.Contents({origin}, [
        RelativePath = {relative},
        Query = [{fields}
        ],
        Headers = [#"{header}" = {secret}, Accept = "application/json"]
    ]),
    Rows = Json.Document(Answer)[result]
in
    Table.FromRecords(Rows, {{columns}}, MissingField.UseNull)`,
  },
  {
    id: 'mcp',
    label: 'MCP',
    hint: 'Works if the service runs with `MCP=on`. This is the `.mcp.json` of Claude Code, which reads the {noun} from the environment variable `{variable}`; other clients use the same address and header.',
    quote: quoteJson,
    template: `{
  "mcpServers": {
    "saved-queries": {
      "type": "http",
      "url": {mcp},
      "headers": { "{header}": "{scheme}\${{variable}}" }
    }
  }
}`,
  },
];

export function writeCall({ template, ...language }: Language, call: Call): string {
  return fill(template, valuesOf(language, call));
}

export function hintOf({ hint }: Language, credential: Credential): string {
  return fill(hint, { ...credential });
}

/** In one pass: what is filled in is not read again. Braces around anything else stay. */
function fill(template: string, values: Record<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function valuesOf(
  { quote, pair = '', join = '+', secret = '' }: Omit<Language, 'template'>,
  { origin, endpoint, parameters, credential }: Call,
): Record<string, string> {
  const own = fill(secret, { ...credential });
  return {
    ...credential,
    secret: credential.scheme === '' ? own : `"${credential.scheme}" ${join} ${own}`,
    origin: quote(origin),
    relative: quote(endpoint.path.slice(1)),
    url: quote(origin + endpoint.path),
    base: quote(`${origin}${endpoint.path}?`),
    call: quote(origin + pathOf(endpoint, parameters)),
    mcp: quote(`${origin}/mcp`),
    columns: endpoint.row.map(({ name }) => quote(name)).join(', '),
    pairs: pairsOf(parameters)
      .map(([name, value]) => fill(pair, { name: quote(name), value: quote(value) }))
      .join(''),
    fields: Object.entries(parameters)
      .map(([name, values]) => {
        const texts = values.map(quote);
        const value = texts.length === 1 ? texts[0] : `{${texts.join(', ')}}`;
        // Quoted, a name may also be a keyword.
        return `\n            #${quote(name)} = ${value}`;
      })
      .join(','),
  };
}
