// `npm run check` names what takes long on the local BigQuery over thousands of rows, and nothing else.
import { main } from '../../../scripts/check.ts';
import { runCommand } from '../../support/command.ts';
import { FakeSqlTree, rowOf } from '../../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { columns } from '../../support/sql/columns.ts';

const { queries = [] } = readExpectations('test/scripts/check/slow-parts.sql');

it.each(queries)('%s', async (sql, slow) => {
  const schema = columns('id INT64, name STRING');
  const tree = new FakeSqlTree()
    .write('sources/a/schema.json', schema)
    .write('sources/b/schema.json', schema)
    .endpoint({ row: rowOf('n INT64 NULLABLE') }, sql);
  const { code, stdout } = await runCommand(main, ['--sql', tree.directory]);
  expect(code).toBe(0);
  const named = [...stdout.matchAll(/slow locally over thousands of rows: (.*) of query.sql\n/g)];
  expect(named.map(([, part]) => part).join('\n')).toBe(slow);
});
