// `npm run openapi`: writes the OpenAPI document of all endpoints, for client generators.
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { describeEndpoints } from '../functions/http/describe-endpoints.ts';
import { openApiDocument } from '../functions/http/openapi.ts';
import { loadCatalogue } from './compile/inspect-catalogue.ts';
import { createMain, runMain } from './cli/command.ts';
import { requireSqlDirectory, sqlOption } from './cli/options.ts';
import { writeFile } from './cli/write-file.ts';

export const main = createMain('npm run openapi --', (program, terminal) => {
  program
    .description(
      'Writes the OpenAPI 3.1 document of all endpoints: the answer of GET /api/endpoints/openapi.json for a key that may use all of them.',
    )
    .addHelpText(
      'after',
      `
Example, a typed client:
  npm run openapi -- --out openapi.json && npx openapi-typescript openapi.json -o client.d.ts`,
    )
    .option(
      '--out <file>',
      'file to write (default: standard output; use "npm run --silent openapi", because npm also prints there)',
    )
    .option(
      '--url <base>',
      'base URL of the service, such as https://queries.example.com (default: "/", which stands for the address of the document)',
      parseUrl,
    )
    .addOption(sqlOption())
    .action(({ out, url, sql }) => {
      const { endpoints } = loadCatalogue(requireSqlDirectory(sql));
      const described = describeEndpoints(endpoints, {
        endpoints: endpoints.map(({ name }) => name),
      });
      const document = openApiDocument(described, (url ?? '').replace(/\/+$/, ''));
      const text = JSON.stringify(JSON.parse(document), undefined, 2);
      if (out === undefined) terminal.print(text);
      else writeFile(out, `${text}\n`);
    });
});

function parseUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an http or https address.');
}

if (import.meta.main) void runMain(main);
