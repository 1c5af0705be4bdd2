// Tests of how `npm run check` reports a case of an endpoint's tests that fails or cannot be read.
import { randomBytes } from 'node:crypto';
import { main } from '../../../../scripts/check.ts';
import { runCommand } from '../../../support/command.ts';
import { FakeSqlTree, parameter, rowOf } from '../../../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import { TEST_SQL } from '../../../support/sql/test-sql.ts';
import { ofMain, runTranscripts } from '../../../support/sql/transcripts.ts';

const { rejected = [] } = readExpectations('test/scripts/check/cases/wrong-cases.txt');
const warned = readExpectations('test/scripts/check/cases/warnings.sql');

const copy = (): FakeSqlTree => new FakeSqlTree(TEST_SQL);
const kept = new WeakMap<FakeSqlTree, string>();

runTranscripts(
  'test/scripts/check/cases/transcripts.txt',
  {
    check: ofMain(main),
    keep: (tree, file) => void kept.set(tree, tree.read(file)),
    differs: (tree, file) =>
      tree.read(file) === (kept.get(tree) ?? copy().read(file)) ? '' : `${file} has changed\n`,
  },
  copy,
);

/** `said` is what the command prints of faults, and of warnings. */
async function checkTree({ directory }: FakeSqlTree, ...options: string[]) {
  const { code, stderr } = await runCommand(main, ['--sql', directory, ...options]);
  return { code, said: stderr.replaceAll(directory, 'sql') };
}

it.each(rejected)(
  'a test file that contains %j is rejected, with the position',
  async (text, message) => {
    const tree = copy()
      .write('endpoints/web.visit-counts/tests/wrong.json', text)
      .write('endpoints/web.visit-counts/tests/bad.ndjson', '{"timestamp":"2026-11-20"}\nno\n');
    const { code, said } = await checkTree(tree, 'web.visit-counts');
    expect(said).toContain(`sql/endpoints/web.visit-counts/tests/${message}`);
    expect([code, said]).toEqual([1, expect.stringMatching(/\nError: 1 fault\n$/)]);
  },
);

it('a test with more rows than the local BigQuery reads fails, whatever it expects', async () => {
  const people = Array.from({ length: 3 }, (_, id) => ({ id, name: 'x'.repeat(2_000_000) }));
  const fake = new FakeSqlTree()
    .source('people', 'id INT64, name STRING')
    .endpoint(
      { row: rowOf('n INT64 NULLABLE') },
      'SELECT COUNT(a.name) AS n FROM people AS a JOIN people AS b USING (id)',
    )
    .test({ tables: { people }, expected_result: [{ n: 1 }] });
  const { code, said } = await checkTree(fake);
  expect(code).toBe(1);
  expect(said).toContain('501 NOT_RUN_LOCALLY (The rows of the test are too many for the local');
  expect(said).toMatch(/\(logs\.people; read=\d; of=3\)/);
});

describe('a warning', () => {
  const row = rowOf('names STRING');
  let fake: FakeSqlTree;

  beforeEach(() => void (fake = new FakeSqlTree().source('people', 'name STRING, city STRING')));

  it.each(warned.order ?? [])('of the order of %s', async (sql, message) => {
    fake.endpoint({ row }, sql);
    const warning = `warning: sql/endpoints/group.example/${message}\n`;
    expect(await checkTree(fake)).toEqual({ code: 0, said: message === '' ? '' : warning });
  });

  it.each(warned.suffix ?? [])('of a suffix of another format: %s', async (where, text) => {
    fake
      .endpoint({ row }, `SELECT name AS names FROM \`web.log_*\` WHERE ${where}`)
      .source('web.log', 'name STRING', { shards: { prefix: 'log_', format: 'YYYYMMDD' } });
    const found = `compares the suffix of web.log_* with ${text}, which is not part of YYYYMMDD`;
    const said = text ? `warning: group.example/query.sql ${found}\n` : '';
    expect(await checkTree(fake)).toEqual({ code: 0, said });
  });

  it.each(warned['one key'] ?? [])(
    'for a warm.sql whose tests have rows for only one key is an error instead if it is wrong: %s',
    async (text, is) => {
      const warming = { batchOver: ['city'], maxKeys: 10 };
      const parameters = { city: parameter({ required: true }) };
      fake.endpoint({ row, warming, parameters }, ...(text.split(';\n') as [string, string])).test({
        tables: { people: [{ name: '1', city: 'a' }] },
        parameters: 'city=a',
        expected_result: [{ names: '1' }],
      });
      const { code, said } = await checkTree(fake);
      expect(`${code} ${said}`).toMatch(
        is === 'right'
          ? /^0 $/
          : /^1 sql\/endpoints\/group\.example\/tests\/a\.json:1:2: a: on more rows like those of the test, also for city=x, warm\.sql differs from query\.sql for city=/,
      );
    },
  );

  it('reports a result that, with the most rows, fails', async () => {
    const names = Array.from({ length: 20 }, () => randomBytes(720).toString('base64'));
    const query = "SELECT name AS names FROM people WHERE @any = '' ORDER BY name";
    fake.endpoint({ row, maxRows: 10_000, parameters: { any: parameter() } }, query).test({
      tables: { people: names.map((name) => ({ name, city: 'c' })) },
      expected_result: names.toSorted().map((name) => ({ names: name })),
    });
    const { code, said } = await checkTree(fake);
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(
        /^warning: sql\/endpoints\/group\.example\/tests\/a\.json:1:2: a: 10000 such rows \(maxRows\) would be about 9\.\d MiB in BigQuery's answer, more than MAX_RESULT_MIB \(8 by default\): such a request fails\n$/,
      ),
    ]);
  });
});
