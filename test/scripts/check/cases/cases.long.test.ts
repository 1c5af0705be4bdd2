// Tests of how `npm run check` reports a case of an endpoint's tests that fails or cannot be read.
import { randomBytes } from 'node:crypto';
import { main } from '../../../../scripts/check.ts';
import { printedBy, runCommand } from '../../../support/command.ts';
import { FakeSqlTree, parameter, rowOf } from '../../../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../../../support/sql/test-sql.ts';
import { ofMain, runTranscript, transcriptsOf } from '../../../support/sql/transcripts.ts';

const copy = (): FakeSqlTree => new FakeSqlTree(TEST_SQL);
const kept = new WeakMap<FakeSqlTree, string>();

it.each(transcriptsOf('test/scripts/check/cases/transcripts.txt'))('%s', (_, transcript) =>
  runTranscript(transcript, copy(), {
    check: ofMain(main),
    keep: (tree, file) => void kept.set(tree, tree.read(file)),
    differs: (tree, file) =>
      tree.read(file) === (kept.get(tree) ?? copy().read(file)) ? '' : `${file} has changed\n`,
  }),
);

const row = rowOf('names STRING');
const newTree = (): FakeSqlTree =>
  new FakeSqlTree().source('people', 'name STRING, city STRING').source('web.log', 'name STRING', {
    shards: { prefix: 'log_', format: 'YYYYMMDD' },
  });

/** What the command prints of faults, and of warnings. */
async function said({ directory }: FakeSqlTree, ...options: string[]): Promise<string> {
  const result = await runCommand(main, ['--sql', directory, ...options]);
  return printedBy({ ...result, stdout: '' }).replaceAll(directory, 'sql');
}

it.each(transcriptsOf('test/scripts/check/cases/wrong-cases.txt'))('%s', (_, transcript) =>
  runTranscript(transcript, newTree(), {
    order: (tree, _, sql) => said(tree.endpoint({ row }, sql)),
    suffix: (tree, _, where) =>
      said(tree.endpoint({ row }, `SELECT name AS names FROM \`web.log_*\` WHERE ${where}`)),
    batch(tree, _, text) {
      const warming = { batchOver: ['city'], maxKeys: 10 };
      const parameters = { city: parameter({ required: true }) };
      const queries = text.split(';\n') as [string, string];
      const one = { parameters: 'city=a', expected_result: [{ names: '1' }] };
      const tables = { people: [{ name: '1', city: 'a' }] };
      return said(tree.endpoint({ row, warming, parameters }, ...queries).test({ tables, ...one }));
    },
    file: (_, __, text) =>
      said(
        copy()
          .write('endpoints/web.visit-counts/tests/wrong.json', text)
          .write('endpoints/web.visit-counts/tests/bad.ndjson', '{"timestamp":"2026-11-20"}\nno\n'),
        'web.visit-counts',
      ),
  }),
);

it('a test with more rows than the local BigQuery reads fails, whatever it expects', async () => {
  const people = Array.from({ length: 3 }, (_, name) => ({ name, city: 'x'.repeat(2_000_000) }));
  const query = 'SELECT COUNT(a.city) AS n FROM people AS a JOIN people AS b USING (name)';
  const fake = newTree()
    .endpoint({ row: rowOf('n INT64 NULLABLE') }, query)
    .test({ tables: { people }, expected_result: [{ n: 1 }] });
  expect(await said(fake)).toMatch(
    /501 NOT_RUN_LOCALLY \(The rows of the test are too many for the local.*\(logs\.people; read=\d; of=3\)[^]*\[1\]\n$/,
  );
});

it('a warning reports a result that, with the most rows, fails', async () => {
  const names = Array.from({ length: 20 }, () => randomBytes(720).toString('base64'));
  const query = "SELECT name AS names FROM people WHERE @any = '' ORDER BY name";
  const fake = newTree()
    .endpoint({ row, maxRows: 10_000, parameters: { any: parameter() } }, query)
    .test({
      tables: { people: names.map((name) => ({ name, city: 'c' })) },
      expected_result: names.toSorted().map((name) => ({ names: name })),
    });
  expect(await said(fake)).toMatch(
    /^warning: sql\/endpoints\/group\.example\/tests\/a\.json:1:2: a: 10000 such rows \(maxRows\) would be about 9\.\d MiB in BigQuery's answer, more than MAX_RESULT_MIB \(8 by default\): such a request fails\n$/,
  );
});
