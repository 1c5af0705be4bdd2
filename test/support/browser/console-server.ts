// Builds the page of the console from its sources, and serves it with made-up endpoints and rows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConsole } from '../../../functions/http/console-page.ts';
import type { Document } from '../../../functions/http/describe-endpoints.ts';
import { buildConsole } from '../../../scripts/compile/console-page.ts';
import type { ParameterDefinition } from '../../../functions/endpoints/parameter-rule.ts';
import { FakeSqlTree, parameter, rowOf } from '../sql/fake-sql-tree.ts';
import { listen } from '../service/listen.ts';
import { type QueryServer, createQueryServer } from '../world.ts';
import { testDirectory } from '../temporary-directory.ts';

export type ConsoleServer = QueryServer & { origin: string };

interface Options {
  /** As `npm start` serves it; otherwise as deployed. */
  runsExamples?: boolean;
  isLocal?: boolean;
}

/** A function that loads the page, which is built once. */
export async function buildConsolePage(): Promise<(options?: Options) => Document> {
  const file = join(testDirectory('console-'), 'console.html');
  await buildConsole(file);
  return (options) => loadConsole(file, options);
}

/** With `/mcp`. */
export async function serveConsole(
  options?: Options,
  tree: FakeSqlTree = consoleTree(),
): Promise<ConsoleServer> {
  const console = (await buildConsolePage())(options);
  const service = createQueryServer({ catalogue: tree.catalogue(), console, mcp: 'on' });
  return { ...service, origin: await listen(service.server) };
}

interface Written {
  name: string;
  description?: string;
  bucket?: object;
  parameters?: Record<string, Partial<ParameterDefinition>>;
  row: string;
  /** What differs from a usual column. */
  columns?: Record<string, object>;
}

/** The endpoints of test/console/endpoints.json. */
function consoleTree(): FakeSqlTree {
  const tree = new FakeSqlTree();
  const all = JSON.parse(readFileSync('test/console/endpoints.json', 'utf8')) as Written[];
  for (const { parameters = {}, row, columns = {}, ...others } of all) {
    const rules = Object.entries(parameters).map(([name, rule]) => [name, parameter(rule)]);
    const usual = Object.entries(rowOf(row));
    tree.endpoint({
      ...others,
      parameters: Object.fromEntries(rules) as object,
      row: Object.fromEntries(
        usual.map(([name, column]) => [name, { ...column, ...columns[name] }]),
      ),
    });
  }
  return tree;
}
