// Tests of the check of warm.sql: its tables, its parameters, and its columns.
import { join } from 'node:path';
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import { formatFault } from '../../../scripts/faults/definition-fault.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { FakeSqlTree } from '../../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';
import { runTranscript, transcriptsOf } from '../../support/sql/transcripts.ts';

const engine = await sharedEngine();

it.each(transcriptsOf('test/scripts/check/check-endpoint.txt'))('%s', (_, transcript) =>
  runTranscript(transcript, new FakeSqlTree(TEST_SQL), {
    async faults({ directory }) {
      const { endpoints } = inspectCatalogue(directory);
      const inspected = endpoints.find(({ folder }) => folder === 'tasks.run-stats');
      if (inspected === undefined) throw new Error('The endpoint is not found.');
      const tables = await readSources(join(directory, 'sources'));
      const { faults } = await checkEndpoint(engine, tables, inspected);
      return faults.map((fault) => `${formatFault(fault)}\n`).join('');
    },
  }),
);
