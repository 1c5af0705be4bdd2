// `npm run check`: type-checks every saved query with GoogleSQL's analyzer against sql/sources.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../functions/catalogue.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { exitWithUsage, runCommand } from './command.ts';
import { startGoogleSql } from './local/googlesql.ts';
import { readLogSources } from './local/log-sources.ts';

const USAGE = `Usage: npm run check -- [--sql DIR]

Checks every endpoint without running it: the definition, the types of the query against the log
tables of sql/sources, its parameters against those declared, its output columns against row, and
that it is one SELECT.

  --sql DIR   the tree to check (default: sql)
  --help      this text
`;

await runCommand(async () => {
  const { values } = parseArgs({
    options: { sql: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) exitWithUsage(USAGE);
  const sqlDirectory = values.sql ?? 'sql';
  const { endpoints } = loadCatalogue(sqlDirectory);
  const tables = await readLogSources(join(sqlDirectory, 'sources'));
  const engine = await startGoogleSql();
  let faultCount = 0;
  try {
    for (const endpoint of endpoints) {
      const directory = join(sqlDirectory, 'endpoints', endpoint.name);
      const faults = await checkEndpoint(engine, tables, endpoint, directory);
      faultCount += faults.length;
      if (faults.length === 0) {
        console.log(`ok  ${endpoint.name} (${Object.keys(endpoint.row).length} columns)`);
      }
      for (const fault of faults) console.error(fault);
    }
  } finally {
    await engine.close();
  }
  if (faultCount > 0) throw new Error(`${faultCount} ${faultCount === 1 ? 'fault' : 'faults'}`);
});
