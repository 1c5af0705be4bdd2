// What the local BigQuery answers, by its REST API: to queries, and in jobs.
import { globSync } from 'node:fs';
import { FakeSqlTree } from '../../../support/sql/fake-sql-tree.ts';
import { runTranscript, transcriptsOf } from '../../../support/sql/transcripts.ts';
import { restCommands } from './rest-commands.ts';

describe.each(globSync('test/scripts/local-bigquery/rest/cases/answers/*.txt'))('%s', (file) => {
  it.each(transcriptsOf(file))('%s', (_, transcript) =>
    runTranscript(transcript, new FakeSqlTree(), restCommands()),
  );
});
