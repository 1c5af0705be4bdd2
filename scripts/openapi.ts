// `npm run openapi`: writes the OpenAPI document of all endpoints, for client generators.
import { describeEndpoints } from '../functions/http/describe-endpoints.ts';
import { openApiDocument } from '../functions/http/openapi.ts';
import { loadCatalogue } from './compile/inspect-catalogue.ts';
import { createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { parseUrl, requireSqlDirectory, sqlOption } from './cli/options.ts';
import { writeFile } from './cli/write-file.ts';

export const main = createMain('npm run openapi --', (program, terminal) => {
  program
    .option('--out <file>')
    .option('--url <base>', '', parseUrl)
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
  addHelp(program, 'openapi');
});

if (import.meta.main) void runMain(main);
