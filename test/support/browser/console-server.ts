// Builds the page of the console from its sources, and serves it with made-up endpoints and rows.
import { join } from 'node:path';
import { loadConsole } from '../../../functions/http/console-page.ts';
import type { Document } from '../../../functions/http/document.ts';
import { buildConsole } from '../../../scripts/compile/console-page.ts';
import type { FakeSqlTree } from '../sql/fake-sql-tree.ts';
import { listen } from '../service/listen.ts';
import { type QueryServer, createQueryServer } from '../world.ts';
import { testDirectory } from '../temporary-directory.ts';

export type ConsoleServer = QueryServer & { origin: string };

interface Options {
  /** As `npm start` serves it; otherwise as deployed. */
  runsExamples?: boolean;
}

/** A function that loads the page, which is built once. */
export async function buildConsolePage(): Promise<(options?: Options) => Document> {
  const file = join(testDirectory('console-'), 'console.html');
  await buildConsole(file);
  return (options) => loadConsole(file, options);
}

/** With `/mcp`. */
export async function serveConsole(tree: FakeSqlTree, options?: Options): Promise<ConsoleServer> {
  const console = (await buildConsolePage())(options);
  const service = createQueryServer({ catalogue: tree.catalogue(), console, mcp: 'on' });
  return { ...service, origin: await listen(service.server) };
}
