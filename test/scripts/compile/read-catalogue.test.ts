// Tests of the commands that load `sql/`: they report its faults as `npm run check` does.
import { main as keys } from '../../../scripts/keys.ts';
import { main as openapi } from '../../../scripts/openapi.ts';
import { main as start } from '../../../scripts/start.ts';
import { freePort } from '../../support/service/free-port.ts';
import { runCommand } from '../../support/command.ts';
import { startEnvironment } from '../../support/service/local-service.ts';
import { FakeSqlTree } from '../../support/sql/fake-sql-tree.ts';

it.each([
  ['npm start', start, []],
  ['npm run openapi', openapi, []],
  ['npm run keys', keys, ['create', 'name', '--endpoints', '*', '--project', 'p']],
])('%s prints the file, line and column of every fault', async (_, main, args) => {
  const tree = new FakeSqlTree()
    .endpoint({ maxRows: 0 }, 'SELECT\n  @a,\n  f(1)')
    .write('endpoints/group.example/endpoint.json', '{\n  "name": "group.example"\n  "id": 1\n}')
    .endpoint({ name: 'group.other', maxRows: 0 }, 'SELECT\n  @a,\n  f(1)')
    .write('routines/f.sql', 'SELECT 1')
    .write('sources/orders/schema.json', '[{"name": "id", "type": "STRING"}]');
  // On other ports than those of a service that runs here.
  const env = startEnvironment(await freePort(), await freePort());
  const { code, stdout, stderr } = await runCommand(main, [...args, '--sql', tree.directory], env);
  // On a slow machine npm start says what it is doing.
  expect([code, stdout.replaceAll(/^\d+ s: .* …\n/gm, '')]).toEqual([1, '']);
  expect(stderr.replaceAll(tree.directory, 'sql')).toBe(
    `Error: sql/endpoints/group.example/endpoint.json:3:3: not valid JSON: comma expected
sql/endpoints/group.other/endpoint.json:1:122: maxRows must be at least 1
sql/endpoints/group.other/query.sql:3:3: calls the routine f, which has a fault or calls itself
sql/routines/f.sql:1:1: does not create the function f
`,
  );
});

it('skips a directory of sources that cannot be read', async () => {
  const broken = new FakeSqlTree().endpoint().write('sources', 'not a directory');
  expect(await runCommand(openapi, ['--sql', broken.directory])).toMatchObject({ code: 0 });
});
