// Paths in the arguments of a command are relative to where the user called npm.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { main as check } from '../../../scripts/check.ts';
import { pathOfCaller } from '../../../scripts/cli/command.ts';
import { main as openapi } from '../../../scripts/openapi.ts';
import { refusal, runCommand } from '../../support/command.ts';
import { testDirectory } from '../../support/temporary-directory.ts';

const called = (command: string, directory: string) => ({
  npm_lifecycle_event: command,
  INIT_CWD: directory,
});

it('a path is relative to the directory where npm was called', () => {
  const path = pathOfCaller('npm run new --', called('new', join(process.cwd(), 'test')));
  expect(['a.sql', './a.sql', '../a.sql', '/a.sql', '..', '--warm'].map(path)).toEqual([
    'test/a.sql',
    'test/a.sql',
    'a.sql',
    '/a.sql',
    '.',
    '--warm',
  ]);
  expect(pathOfCaller('npm start --', called('start', join(process.cwd(), 'test')))('logs')).toBe(
    'test/logs',
  );
});

it.each([
  ['another script of npm', called('test', '/tmp')],
  ['no npm', {}],
])('a path is relative to the current directory for %s', (_, env) => {
  expect(pathOfCaller('npm run new --', env)('a.sql')).toBe('a.sql');
});

it('commands resolve paths like this', async () => {
  const directory = testDirectory('caller-');
  const args = ['--sql', join(process.cwd(), 'test/sql'), '--out', 'api.json'];
  const written = await runCommand(openapi, args, called('openapi', directory));
  expect(written).toMatchObject({ code: 0 });
  expect(readFileSync(join(directory, 'api.json'), 'utf8')).toContain('tasks.run-stats');
  const env = called('check', join(process.cwd(), 'test'));
  expect(await runCommand(check, ['--sql', 'sqll'], env)).toEqual(
    refusal('There is no directory test/sqll (--sql).'),
  );
});
