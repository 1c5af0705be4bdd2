// `npm run openapi`: the OpenAPI document of all endpoints, for tools that make clients of it.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../functions/catalogue.ts';
import { describeEndpoints } from '../functions/core/describe.ts';
import { openApiDocument } from '../functions/core/openapi.ts';
import { exitWithUsage, runCommand } from './cli/command.ts';

const USAGE = `Usage: npm run openapi -- [--out FILE] [--url BASE] [--sql DIR]

Writes the OpenAPI 3.1 document of the endpoints of sql/endpoints, the same as
GET /api/endpoints/openapi.json has for a key that may use them all. A typed client of it:

  npm run openapi -- --out openapi.json && npx openapi-typescript openapi.json -o client.d.ts

  --out FILE   where to write it (default: standard output; npm itself prints there too, unless
               it is "npm run --silent openapi")
  --url BASE   address of the service, as https://queries.example.com (default: /, the address
               that the document was loaded from)
  --sql DIR    the tree of definitions (default: sql)
  --help       this text
`;

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      url: { type: 'string' },
      sql: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) exitWithUsage(USAGE);
  const { endpoints } = loadCatalogue(values.sql ?? 'sql');
  const described = describeEndpoints(endpoints, { endpoints: ['*'] });
  const document = openApiDocument(described, serverUrl(values.url));
  const text = `${JSON.stringify(JSON.parse(document), undefined, 2)}\n`;
  if (values.out === undefined) process.stdout.write(text);
  else await writeFile(values.out, text);
});

function serverUrl(text: string | undefined): string {
  if (text === undefined) return '';
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new Error(`--url must be an http or https address, not ${text}.`);
  }
  return text.replace(/\/+$/, '');
}
