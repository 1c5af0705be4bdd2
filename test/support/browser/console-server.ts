// Serves the console and made-up endpoints over HTTP, with the rows that a test gives.
import { loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { buildConsolePage } from './built-console.ts';
import type { FakeSqlTree } from '../sql/fake-sql-tree.ts';
import { listen } from '../service/listen.ts';
import { type QueryServer, createQueryServer } from '../bigquery/query-server.ts';

export interface ConsoleServer extends Pick<QueryServer, 'queryRunner' | 'keyStore' | 'clock'> {
  origin: string;
  close: () => Promise<void>;
}

/** As deployed, or with `runsExamples` as `npm start` serves it; with `/mcp`. Removes the tree. */
export async function serveConsole(
  tree: FakeSqlTree,
  options: { runsExamples?: boolean } = {},
): Promise<ConsoleServer> {
  const catalogue = loadCatalogue(tree.directory);
  tree.remove();
  const console = await buildConsolePage(options);
  const { server, queryRunner, keyStore, clock } = createQueryServer({
    catalogue,
    console,
    mcp: 'on',
  });
  return {
    ...{ queryRunner, keyStore, clock, origin: await listen(server) },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
