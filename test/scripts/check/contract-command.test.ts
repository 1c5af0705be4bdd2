// Tests of `npm run check -- --against REF` in a git repository.
import { execFileSync } from 'node:child_process';
import { cpSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../scripts/check.ts';
import { type CommandResult, refusal, runCommand } from '../../support/command.ts';
import { FakeSqlTree } from '../../support/fake-sql-tree.ts';
import { TEST_SQL } from '../../support/test-sql.ts';

const VISITS = 'a/sql/endpoints/web.visit-counts';
const DEFINITION = `${VISITS}/endpoint.json`;
const FETCH = "origin '+refs/heads/*:refs/remotes/origin/*'";

/** A repository with the saved queries in `a/sql`, which are committed on the branch `main`. */
let tree: FakeSqlTree;

beforeEach(() => {
  tree = new FakeSqlTree();
  cpSync(TEST_SQL, join(tree.directory, 'a/sql'), { recursive: true, dereference: true });
  git('init', '--quiet', '--initial-branch', 'main');
  commit();
});

afterEach(() => tree.remove());

function git(...args: string[]): void {
  const isolated = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  execFileSync('git', [...author, ...args], { cwd: tree.directory, env: isolated });
}

function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'Change');
}

async function check(args: string[], env: Record<string, string> = {}): Promise<CommandResult> {
  const sql = join(tree.directory, 'a/sql');
  const { code, stdout, stderr } = await runCommand(main, ['--sql', sql, ...args], env);
  const shown = (text: string): string => text.replaceAll(tree.directory, 'top');
  // What is said of tables, endpoints and their windows is the same without a ref.
  const contract = stdout.split('\n').filter((line) => /^changed:|^ok {2}contract/.test(line));
  return { code, stdout: shown(contract.join('\n')), stderr: shown(stderr) };
}

it('passes other words, layout, warming and order of fields, and what is uncommitted counts', async () => {
  const text = tree.read(DEFINITION);
  const { parameters, name, ...rest } = JSON.parse(text) as Record<string, unknown>;
  tree.write(DEFINITION, {
    parameters,
    ...rest,
    name,
    description: 'Other words.',
    warming: { batchOver: ['project'], maxKeys: 9 },
  });
  tree.replace(`${VISITS}/query.sql`, '-- How many', '\n-- Say how many');
  tree.replace(`${VISITS}/query.sql`, 'COUNT(*) AS visits', 'COUNT( * )\n AS visits');
  expect(await check(['--against', 'main'])).toEqual({
    code: 0,
    stdout: 'ok  contract with main',
    stderr: '',
  });
});

it('refuses each breaking change at its place, lets those pass that are named, and lists the others', async () => {
  tree.replace(DEFINITION, '"maxRows": 1000', '"maxRows": 999');
  tree.replace(DEFINITION, '"cachingSeconds": 900', '"cachingSeconds": 600');
  tree.replace(DEFINITION, '"maxLength": 256,', '');
  tree.replace(DEFINITION, /REQUIRED(?=",\s+"description": "Number of req)/, 'NULLABLE');
  rmSync(join(tree.directory, 'a/sql/endpoints/tasks.run-stats'), { recursive: true });
  const refused = `top/a/sql/endpoints/tasks.run-stats/endpoint.json: the endpoint tasks.run-stats is gone, which breaks callers (--allow-breaking tasks.run-stats)
top/${DEFINITION}:7:3: maxRows is 999 and was 1000, which breaks callers (--allow-breaking web.visit-counts/maxRows)
top/${DEFINITION}:37:7: row.visits.mode is "NULLABLE" and was "REQUIRED", which breaks callers (--allow-breaking web.visit-counts/row/visits/mode)
`;
  const harmless = `changed: top/${DEFINITION}:8:3: cachingSeconds is 600 and was 900
changed: top/${DEFINITION}:13:5: parameters.project.maxLength is absent and was 256`;
  expect(await check(['--against', 'main'])).toEqual({
    code: 1,
    stdout: harmless,
    stderr: `${refused}Error: 3 faults\n`,
  });
  const allow = ['tasks.run-stats', 'web.visit-counts/row/visits/mode'].flatMap((word) => [
    '--allow-breaking',
    word,
  ]);
  const one = await check(['--against', 'main', ...allow, 'web.visit-counts']);
  expect([one.code, one.stderr]).toEqual([
    1,
    `${refused.split('\n')[1]}
--allow-breaking tasks.run-stats: no change of this name breaks callers
Error: 2 faults
`,
  ]);
  expect(
    await check(['--against', 'main', ...allow, '--allow-breaking', 'web.visit-counts/maxRows']),
  ).toEqual({
    code: 0,
    stdout: `changed: top/a/sql/endpoints/tasks.run-stats/endpoint.json: the endpoint tasks.run-stats is gone (allowed)
changed: top/${DEFINITION}:7:3: maxRows is 999 and was 1000 (allowed)
${harmless}
changed: top/${DEFINITION}:37:7: row.visits.mode is "NULLABLE" and was "REQUIRED" (allowed)
ok  contract with main`,
    stderr: '',
  });
});

it('finds an endpoint of another name by its id, and compares the rest of it', async () => {
  renameSync(join(tree.directory, VISITS), join(tree.directory, `${VISITS}-2`));
  const renamed = `${VISITS}-2/endpoint.json`;
  tree.replace(renamed, '"web.visit-counts"', '"web.visit-counts-2"');
  tree.replace(renamed, '"maxRows": 1000', '"maxRows": 999');
  cpSync(
    join(tree.directory, 'a/sql/endpoints/tasks.run-stats'),
    join(tree.directory, 'a/sql/endpoints/tasks.run-stats-2'),
    { recursive: true },
  );
  const copied = 'a/sql/endpoints/tasks.run-stats-2/endpoint.json';
  tree.replace(copied, '"tasks.run-stats"', '"tasks.run-stats-2"');
  tree.replace(copied, '3f0c6d52', '4f0c6d52');
  expect(await check(['--against', 'main'])).toEqual({
    code: 1,
    stdout: `changed: top/${copied}: the endpoint tasks.run-stats-2 is new`,
    stderr: `top/${renamed}:4:3: name is "web.visit-counts-2" and was "web.visit-counts", which breaks callers (--allow-breaking web.visit-counts/name)
top/${renamed}:7:3: maxRows is 999 and was 1000, which breaks callers (--allow-breaking web.visit-counts/maxRows)
Error: 2 faults
`,
  });
});

it('says which endpoints the ref has in no readable form, unless their fault is there today too', async () => {
  const secret = join(tree.directory, 'outside.json');
  renameSync(join(tree.directory, DEFINITION), secret);
  symlinkSync(secret, join(tree.directory, DEFINITION));
  tree.replace('a/sql/endpoints/tasks.run-stats/endpoint.json', '"maxRows": 1000', '"maxRows": 0');
  commit();
  const today =
    'top/a/sql/endpoints/tasks.run-stats/endpoint.json:7:3: maxRows must be at least 1\n';
  const linked = `top/${DEFINITION}: cannot be compared with that of main (it was a link or a submodule, which is not followed), so it counts as a change, which breaks callers (--allow-breaking web.visit-counts)\n`;
  expect((await check(['--against', 'main'])).stderr).toBe(`${linked}${today}Error: 2 faults\n`);
  tree.replace('a/sql/endpoints/tasks.run-stats/endpoint.json', '"maxRows": 0', '"maxRows": 1000');
  expect((await check(['--against', 'main', 'tasks.run-stats'])).stderr).toBe(
    'top/a/sql/endpoints/tasks.run-stats/endpoint.json: cannot be compared with that of main (endpoint.json:7:3: maxRows must be at least 1), so it counts as a change, which breaks callers (--allow-breaking tasks.run-stats)\nError: 1 fault\n',
  );
});

it('reads the repository of the saved queries, also in a hook of git', async () => {
  tree.replace(DEFINITION, '"maxRows": 1000', '"maxRows": 2000');
  commit();
  const { code, stdout } = await check(['--against', 'main~1'], {
    GIT_DIR: '.git',
    GIT_WORK_TREE: '/',
  });
  expect([code, stdout]).toEqual([
    0,
    `changed: top/${DEFINITION}:7:3: maxRows is 2000 and was 1000\nok  contract with main~1`,
  ]);
});

it.each<[string, string[], string, (() => void)?, Record<string, string>?]>([
  [
    'no such branch',
    ['--against', 'origin/mian'],
    `--against origin/mian: there is no such commit in this clone. To fetch all branches: git fetch ${FETCH}`,
  ],
  [
    'a tree',
    ['--against', 'HEAD:a'],
    `--against HEAD:a: there is no such commit in this clone. To fetch all branches: git fetch ${FETCH}`,
  ],
  [
    'an option of git',
    ['--against', '-h'],
    '--against -h: the name of a ref does not begin with "-".',
  ],
  [
    'a long option of git',
    ['--against=--all'],
    '--against --all: the name of a ref does not begin with "-".',
  ],
  [
    '--allow-breaking alone',
    ['--allow-breaking', 'web.visit-counts'],
    '--allow-breaking needs --against.',
  ],
  [
    'outside a shallow clone',
    ['--against', 'main~1'],
    `--against main~1: there is no such commit in this clone, which is shallow. To fetch all branches: git fetch --unshallow ${FETCH}`,
    (): void => {
      commit();
      renameSync(join(tree.directory, '.git'), join(tree.directory, 'whole'));
      git('clone', '--quiet', '--bare', '--depth', '1', `file://${tree.directory}/whole`, '.git');
      git('config', 'core.bare', 'false');
    },
  ],
  [
    'a ref without the folder',
    ['--against', 'main'],
    '--against main: this commit has no folder top/a/sql/endpoints, so nothing can be compared (links are not followed).',
    (): void => {
      git('rm', '-r', '--quiet', '--cached', 'a');
      git('commit', '--quiet', '--message', 'Remove');
    },
  ],
  [
    'a ref in which the folder is a link',
    ['--against', 'main'],
    '--against main: this commit has no folder top/a/sql/endpoints, so nothing can be compared (links are not followed).',
    (): void => {
      renameSync(join(tree.directory, 'a'), join(tree.directory, 'b'));
      symlinkSync('b', join(tree.directory, 'a'));
      commit();
      rmSync(join(tree.directory, 'a'));
      renameSync(join(tree.directory, 'b'), join(tree.directory, 'a'));
    },
  ],
  [
    'no repository',
    ['--against', 'main'],
    '--against: git fails in top/a/sql: fatal: not a git repository (or any of the parent directories): .git',
    (): void => rmSync(join(tree.directory, '.git'), { recursive: true }),
  ],
  [
    'no git',
    ['--against', 'main'],
    '--against needs git, which is not installed.',
    undefined,
    { PATH: '/nowhere' },
  ],
])('refuses to compare: %s', async (_, args, fault, change, env) => {
  change?.();
  expect(await check(args, env)).toEqual(refusal(fault));
});
