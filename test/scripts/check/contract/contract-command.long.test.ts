// Tests of `npm run check -- --against REF` in a git repository.
import { execFileSync } from 'node:child_process';
import { cpSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../../scripts/check.ts';
import { type CommandResult, refusal, runCommand } from '../../../support/command.ts';
import { FakeSqlTree } from '../../../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../../../support/sql/test-sql.ts';

const VISITS = 'a/sql/endpoints/web.visit-counts';
const RUNS = 'a/sql/endpoints/tasks.run-stats';
const DEFINITION = `${VISITS}/endpoint.json`;
const AGAINST = ['--against', 'main'];

/** A repository with the saved queries in `a/sql`, which are committed on the branch `main`. */
let tree: FakeSqlTree;
const path = (name: string): string => join(tree.directory, name);

beforeEach(() => {
  tree = new FakeSqlTree();
  cpSync(TEST_SQL, path('a/sql'), { recursive: true, dereference: true });
  git('init', '--quiet', '--initial-branch', 'main');
  commit();
});

function git(...args: string[]): void {
  const isolated = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  execFileSync('git', [...author, ...args], { cwd: tree.directory, env: isolated });
}

function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'Change');
}

/** What is said of the contract: the rest is the same without a ref. */
async function check(args: string[], env: Record<string, string> = {}): Promise<CommandResult> {
  const { code, stdout, stderr } = await runCommand(main, ['--sql', path('a/sql'), ...args], env);
  const lines = stdout.match(/^ok {2}contract.*\n/gm) ?? [];
  const shown = (text: string): string => text.replaceAll(tree.directory, 'top');
  return { code, stdout: shown(lines.join('')), stderr: shown(stderr) };
}

it('passes changes of descriptions, layout, warming and order of fields', async () => {
  const { parameters, ...rest } = JSON.parse(tree.read(DEFINITION)) as Record<string, unknown>;
  const warming = { batchOver: ['project'], maxKeys: 9 };
  tree.write(DEFINITION, { parameters, ...rest, description: 'Other words.', warming });
  tree.replace(`${VISITS}/query.sql`, '-- How many', '\n-- Say how many');
  tree.replace(`${VISITS}/query.sql`, 'COUNT(*) AS visits', 'COUNT( * )\n AS visits');
  const stdout = 'ok  contract with main\n';
  expect(await check(AGAINST)).toEqual({ code: 0, stdout, stderr: '' });
});

it('rejects each breaking change at its position, and passes the allowed ones', async () => {
  tree.replace(DEFINITION, '"maxRows": 1000', '"maxRows": 999');
  tree.replace(DEFINITION, '"cachingSeconds": 900', '"cachingSeconds": 600');
  tree.replace(DEFINITION, /REQUIRED(?=",\s+"description": "Number of req)/, 'NULLABLE');
  rmSync(path(RUNS), { recursive: true });
  const [gone, rows, mode] = [
    `top/${RUNS}/endpoint.json: the endpoint tasks.run-stats was removed`,
    `top/${DEFINITION}:7:3: maxRows is 999 and was 1000`,
    `top/${DEFINITION}:37:7: row.visits.mode is "NULLABLE" and was "REQUIRED"`,
  ];
  const rowsFault = `${rows}, which may break callers (--allow-breaking web.visit-counts/maxRows)`;
  expect(await check(AGAINST)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${gone}, which may break callers (--allow-breaking tasks.run-stats)
${rowsFault}
${mode}, which may break callers (--allow-breaking web.visit-counts/row/visits/mode)
Error: 3 faults
`,
  });
  const allowed = ['tasks.run-stats', 'web.visit-counts/row/visits/mode'];
  const args = [...AGAINST, ...allowed.flatMap((word) => ['--allow-breaking', word])];
  // Of one endpoint alone, the other may be gone.
  expect((await check([...args, 'web.visit-counts'])).stderr).toBe(`${rowsFault}
Error: 1 fault
`);
  expect(await check([...args, '--allow-breaking', 'web.visit-counts/maxRows'])).toEqual({
    code: 0,
    stdout: 'ok  contract with main\n',
    stderr: '',
  });
});

it('finds a renamed endpoint by its id, and compares its other fields', async () => {
  cpSync(path(RUNS), path(`${RUNS}-2`), { recursive: true });
  const copied = `${RUNS}-2/endpoint.json`;
  tree.replace(copied, '"tasks.run-stats"', '"tasks.run-stats-2"');
  tree.replace(copied, '3f0c6d52', '4f0c6d52');
  renameSync(path(VISITS), path(`${VISITS}-2`));
  const renamed = `${VISITS}-2/endpoint.json`;
  tree.replace(renamed, '"web.visit-counts"', '"web.visit-counts-2"');
  tree.replace(renamed, '"maxRows": 1000', '"maxRows": 999');
  expect(await check(AGAINST)).toEqual({
    code: 1,
    stdout: '',
    stderr: `top/${renamed}:4:3: name is "web.visit-counts-2" and was "web.visit-counts", which may break callers (--allow-breaking web.visit-counts/name)
top/${renamed}:7:3: maxRows is 999 and was 1000, which may break callers (--allow-breaking web.visit-counts/maxRows)
Error: 2 faults
`,
  });
});

it('names the endpoints that it cannot read at the ref, unless they have a fault today', async () => {
  renameSync(path(DEFINITION), path('outside.json'));
  symlinkSync(path('outside.json'), path(DEFINITION));
  tree.replace(`${RUNS}/endpoint.json`, '"maxRows": 1000', '"maxRows": 0');
  commit();
  const uncompared = (place: string, reason: string, name: string): string =>
    `top/${place}/endpoint.json: cannot be compared with that of main (${reason}), so it counts as a change, which may break callers (--allow-breaking ${name})\n`;
  const link = 'endpoint.json:1:1: not valid JSON: invalid symbol';
  expect((await check(AGAINST)).stderr).toBe(
    `${uncompared(VISITS, link, 'web.visit-counts')}top/${RUNS}/endpoint.json:7:3: maxRows must be at least 1\nError: 2 faults\n`,
  );
  tree.replace(`${RUNS}/endpoint.json`, '"maxRows": 0', '"maxRows": 1000');
  const fault = 'endpoint.json:7:3: maxRows must be at least 1';
  expect((await check([...AGAINST, 'tasks.run-stats'])).stderr).toBe(
    `${uncompared(RUNS, fault, 'tasks.run-stats')}Error: 1 fault\n`,
  );
});

it('reads the git repository of the saved queries, even in a git hook', async () => {
  tree.replace(DEFINITION, '"maxRows": 1000', '"maxRows": 2000');
  commit();
  const ofHook = { GIT_DIR: '.git', GIT_WORK_TREE: '/' };
  const stdout = 'ok  contract with main~1\n';
  expect(await check(['--against', 'main~1'], ofHook)).toEqual({ code: 0, stdout, stderr: '' });
});

const NO_FOLDER =
  '--against main: this commit has no endpoint in top/a/sql/endpoints, so nothing can be compared (links are not followed).';

it.each<[what: string, ref: string, fault: string, prepare: () => void]>([
  [
    'an unknown branch',
    'origin/mian',
    "--against origin/mian: there is no such commit in this clone. To fetch all branches: git fetch origin '+refs/heads/*:refs/remotes/origin/*' (with --unshallow, if the clone is shallow)",
    () => undefined,
  ],
  ['an option', '-h', '--against -h: a ref cannot begin with "-".', () => undefined],
  [
    'a ref without the folder',
    'main',
    NO_FOLDER,
    (): void => {
      git('rm', '-r', '--quiet', '--cached', 'a');
      git('commit', '--quiet', '--message', 'Remove');
    },
  ],
  [
    'no repository',
    'main',
    '--against: git fails in top/a/sql: fatal: not a git repository (or any of the parent directories): .git',
    (): void => rmSync(path('.git'), { recursive: true }),
  ],
])('rejects: %s', async (_, ref, fault, prepare) => {
  prepare();
  expect(await check([`--against=${ref}`])).toEqual(refusal(fault));
});

it('requires git, and a ref for --allow-breaking', async () => {
  const missing = refusal('--against needs git, which is not installed.');
  expect(await check(AGAINST, { PATH: '/nowhere' })).toEqual(missing);
  const alone = refusal('--allow-breaking needs --against.');
  expect(await check(['--allow-breaking', 'web.visit-counts'])).toEqual({ ...alone, code: 2 });
});
