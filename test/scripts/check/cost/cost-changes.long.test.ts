// What `npm run check -- --against REF` says of costs, in a git repository.
import { execFileSync } from 'node:child_process';
import { cpSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../../scripts/check.ts';
import { runCommand } from '../../../support/command.ts';
import { FakeSqlTree } from '../../../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../../../support/sql/test-sql.ts';

const VISITS = 'a/sql/endpoints/web.visit-counts';
const DEFINITION = `${VISITS}/endpoint.json`;
const TABLE = 'a/sql/sources/web_visits/table.json';
const NOW = Date.parse('2026-11-20T10:15:30Z');

/** The saved queries are committed in `a/sql`. */
let tree: FakeSqlTree;
const git = (...args: string[]): Buffer => {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  return execFileSync('git', [...author, ...args], { cwd: tree.directory, env });
};
const commit = (): void => {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Change');
};

beforeEach(() => {
  tree = new FakeSqlTree();
  cpSync(TEST_SQL, join(tree.directory, 'a/sql'), { recursive: true, dereference: true });
  git('init', '--quiet', '--initial-branch', 'main');
  commit();
});

/** The lines on costs; the code must be 0, because a change of costs is no fault. */
async function changes(...args: string[]): Promise<string[]> {
  const sql = ['--sql', join(tree.directory, 'a/sql'), '--against', 'HEAD'];
  const { code, stdout, stderr } = await runCommand(main, [...sql, ...args], {}, () => NOW);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.match(/^(?:dearer|cheaper|not compared): .*$/gm) ?? [];
}

it('names the call that has become dearer by most, the day of warming, and the file', async () => {
  for (const file of ['query.sql', 'warm.sql']) {
    const hours = "IF(@interval = 'daily', 168, IF(@interval = 'minutely', 25, 1))";
    tree.replace(`${VISITS}/${file}`, "IF(@interval = 'daily', 168, 1)", hours);
  }
  const because = 'because of query.sql, warm.sql';
  expect(await changes()).toEqual([
    `dearer: web.visit-counts/query.sql interval=minutely: 1 GB to 2 GB a call (+100 %, US$0.00568 more), ${because}`,
    `dearer: web.visit-counts: 2.47 TB to 2.76 TB a day of warming (+12 %, US$1.64 more), ${because}`,
  ]);
});

it('says nothing of an endpoint whose words have changed', async () => {
  tree.replace(DEFINITION, 'Visits of a project', 'The visits of a project');
  tree.replace(`${VISITS}/query.sql`, 'COUNT(*) AS visits', 'COUNT( * ) AS visits');
  expect(await changes()).toEqual([]);
});

it('names a table with longer partitions', async () => {
  const day = tree.read(TABLE);
  tree.write(TABLE, day.replace('DAY', 'HOUR'));
  commit();
  tree.write(TABLE, day);
  const because = 'because of web_visits/table.json';
  expect(await changes()).toEqual([
    `dearer: web.visit-counts/query.sql interval=daily: 7.04 GB to 8 GB a call (+14 %, US$0.00545 more), ${because}`,
    `dearer: web.visit-counts: 2.06 TB to 2.47 TB a day of warming (+20 %, US$2.35 more), ${because}`,
  ]);
});

it('names what has become cheaper, and knows a renamed endpoint by its id', async () => {
  tree.replace(DEFINITION, '"cacheWarmingSeconds": 300', '"cacheWarmingSeconds": 900');
  tree.replace(DEFINITION, 'web.visit-counts', 'web.counts');
  renameSync(join(tree.directory, VISITS), join(tree.directory, 'a/sql/endpoints/web.counts'));
  expect(await changes('--allow-breaking', 'web.visit-counts/name')).toEqual([
    'cheaper: web.counts: 2.47 TB to 1.24 TB a day of warming (-50 %, US$7.03 less), because of endpoint.json',
  ]);
});

it.each<[string, (file: string) => void]>([
  ['had a fault', (file) => tree.replace(file, 'SELECT', 'SELECT nothing,')],
  [
    'had a link, which is not followed',
    (file) => {
      renameSync(join(tree.directory, file), join(tree.directory, 'elsewhere.sql'));
      symlinkSync(join(tree.directory, 'elsewhere.sql'), join(tree.directory, file));
    },
  ],
])('does not compare an endpoint that %s', async (_, change) => {
  const file = `${VISITS}/query.sql`;
  const text = tree.read(file);
  change(file);
  commit();
  rmSync(join(tree.directory, file));
  tree.write(file, text);
  expect(await changes()).toEqual([
    'not compared: web.visit-counts: cannot be checked as it was at HEAD',
  ]);
});
