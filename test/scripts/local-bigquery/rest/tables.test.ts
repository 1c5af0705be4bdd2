// What the local BigQuery answers of tables, by its REST API: by any of their names, in parts, after appended rows.
import { globSync } from 'node:fs';
import { FakeSqlTree } from '../../../support/sql/fake-sql-tree.ts';
import { runTranscript, transcriptsOf } from '../../../support/sql/transcripts.ts';
import { restCommands } from './rest-commands.ts';

describe.each(globSync('test/scripts/local-bigquery/rest/cases/tables/*.txt'))('%s', (file) => {
  it.each(transcriptsOf(file))('%s', (_, transcript) =>
    runTranscript(transcript, new FakeSqlTree(), restCommands()),
  );
});
