// What the local BigQuery reads, by its REST API: rows and bytes of partitions and shards, and their state.
import { globSync } from 'node:fs';
import { FakeSqlTree } from '../../../support/sql/fake-sql-tree.ts';
import { runTranscript, transcriptsOf } from '../../../support/sql/transcripts.ts';
import { restCommands } from './rest-commands.ts';

describe.each(globSync('test/scripts/local-bigquery/rest/cases/reads/*.txt'))('%s', (file) => {
  it.each(transcriptsOf(file))('%s', (_, transcript) =>
    runTranscript(transcript, new FakeSqlTree(), restCommands()),
  );
});
