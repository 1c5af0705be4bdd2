// A directory of exported rows: which files are read, and in which order.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { errorMessage } from '../../../../functions/core/errors.ts';
import { readExportDirectory } from '../../../../scripts/start/rows/export-directory.ts';
import type { EncodedRow } from '../../../../scripts/local-bigquery/values/row-encoder.ts';
import { source } from '../../../support/sql/columns.ts';
import { FakeSqlTree } from '../../../support/sql/fake-sql-tree.ts';
import { runTranscript, transcriptsOf } from '../../../support/sql/transcripts.ts';

const shards = { prefix: 'events_', format: 'YYYYMMDD' } as const;
const sources = ['orders', 'orders_old', 'crm.customers', 'analytics_1.events'].map((name) =>
  source(name, 'id STRING, item RECORD (count INTEGER)', name.endsWith('events') ? { shards } : {}),
);

function writeFiles({ directory }: FakeSqlTree, names: string): undefined {
  for (const name of names.split(' ')) {
    const line = `{"id":"${name}"}\n`;
    writeFileSync(join(directory, name), name.endsWith('.gz') ? gzipSync(line) : line);
  }
}

it.each(transcriptsOf('test/scripts/start/rows/export-directory.txt'))('%s', (_, transcript) => {
  /** The ids of the rows by table, with their shard where there is one, without tables that are empty; and the notes. */
  async function read({ directory }: FakeSqlTree): Promise<string> {
    const tables = await readExportDirectory(directory, sources);
    let said = '';
    for (const { name, rows } of tables) {
      const read = await Array.fromAsync(rows as AsyncIterable<EncodedRow>);
      const ids = read.map(([id, , shard]) => [id, shard].flatMap((one) => one?.stringValue ?? []));
      if (read.length > 0) said += `${name}: ${ids.map((one) => one.join('/')).join(' ')}\n`;
    }
    return (
      said +
      tables
        .flatMap((table) => table.notes())
        .map((note) => `${note}\n`)
        .join('')
    );
  }

  return runTranscript(transcript, new FakeSqlTree(), {
    files: writeFiles,
    read: (tree) => read(tree).catch(errorMessage),
  });
});

it('stops reading when aborted', async () => {
  const tree = new FakeSqlTree();
  writeFiles(tree, 'orders-0.ndjson orders-1.ndjson');
  const stop = new AbortController();
  const tables = await readExportDirectory(tree.directory, sources, stop.signal);
  const rows = (tables[0]?.rows as AsyncIterable<EncodedRow>)[Symbol.asyncIterator]();
  expect((await rows.next()).value).toEqual([{ stringValue: 'orders-0.ndjson' }, {}]);
  stop.abort(new Error('enough'));
  await expect(rows.next()).rejects.toThrow('enough');
});

it('reports a missing directory, and a file in its place', async () => {
  await expect(readExportDirectory('/no/such/logs', sources)).rejects.toThrow(
    'There is no directory /no/such/logs.',
  );
  await expect(readExportDirectory('package.json', sources)).rejects.toThrow(
    'package.json cannot be read: not a directory.',
  );
});
