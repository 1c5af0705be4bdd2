// Paths in the arguments of a command are relative to where the user called npm.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { refusal, runScript } from '../../support/command.ts';
import { testDirectory } from '../../support/temporary-directory.ts';

const called = (command: string, directory: string) => ({
  npm_lifecycle_event: command,
  INIT_CWD: directory,
});

it('a path is relative to the directory where npm was called', async () => {
  const directory = testDirectory('caller-');
  const args = ['--sql', join(process.cwd(), 'test/sql'), '--out', 'api.json'];
  const written = await runScript('scripts/openapi.ts', args, called('openapi', directory));
  expect(written).toMatchObject({ code: 0 });
  expect(readFileSync(join(directory, 'api.json'), 'utf8')).toContain('tasks.run-stats');
});

it('a command without a path finds the files of the project', async () => {
  const env = called('openapi', testDirectory('caller-'));
  const { code, stdout } = await runScript('scripts/openapi.ts', [], env);
  expect([code, stdout.includes('functions.')]).toEqual([0, true]);
});

it.each([
  ['another script of npm', called('test', '/tmp')],
  ['no npm', { npm_lifecycle_event: '', INIT_CWD: '/tmp' }],
])('a path is relative to the current directory for %s', async (_, env) => {
  const missing = await runScript('scripts/openapi.ts', ['--sql', 'test/sqll'], env);
  expect(missing).toEqual(refusal('There is no directory test/sqll (--sql).'));
});

it('a name with a colon is that of the script with a hyphen', async () => {
  const directory = testDirectory('caller-');
  const env = called('deploy:gcloud', directory);
  const args = ['--project', 'my-project', '--sql', 'missing'];
  const path = join(process.cwd(), 'scripts/deploy-gcloud.ts');
  const { code, stderr } = await runScript(path, args, env);
  expect([code, stderr]).toEqual([1, 'Error: There is no directory missing (--sql).\n']);
});
