// Tests of what all commands share: wrong arguments, errors, and signals.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMain } from '../../../scripts/cli/command.ts';
import { repeatableOption } from '../../../scripts/cli/options.ts';
import { positiveInteger } from '../../support/program.ts';
import { formatTable } from '../../../scripts/cli/table.ts';
import { main as check } from '../../../scripts/check.ts';
import { main as bench } from '../../bench/bench.ts';
import { main as soak } from '../../soak/soak.ts';
import {
  type CommandResult,
  refusal,
  runCommand,
  startScript,
  wordsOf,
} from '../../support/command.ts';
import { testDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { casesBeside } from '../../support/cases.ts';
import { describeOnLinux } from '../../support/process.ts';

const cases = casesBeside(import.meta.filename);

const titles = repeatableOption('--title <title>');
titles.description = 'in front of the name; may be repeated';

const main = createMain('npm run greet --', (program, { print, note, env }) =>
  program
    .description('Greets.')
    .argument('[name]', 'who')
    .option('--loud', 'in capitals')
    .option('--times <n>', 'how often', positiveInteger(9), 1)
    .addOption(titles)
    .action((name = env.NAME ?? 'nobody', { loud, times, title }) => {
      if (name === 'nobody') throw new Error('There is nobody to greet.');
      note(`${times} times`);
      const text = ['hello', ...title, name].join(' ');
      for (let time = 0; time < times; time += 1) print(loud ? text.toUpperCase() : text);
    }),
);
const greet = (...args: string[]): Promise<CommandResult> => runCommand(main, args);

it('passes options, arguments and environment to the action', async () => {
  expect(await greet('ann', '--loud', '--times', '2')).toEqual({
    code: 0,
    stdout: 'HELLO ANN\nHELLO ANN\n',
    stderr: '2 times\n',
  });
  expect((await greet('ann', '--title', 'dr', '--title=prof')).stdout).toBe('hello dr prof ann\n');
  expect((await runCommand(main, [], { NAME: 'bob' })).stdout).toBe('hello bob\n');
});

it.each([
  ['npm_config_loud', '--loud'],
  ['npm_config_times', '--times'],
])('rejects an option that npm consumed (%s)', async (variable, option) => {
  const env = { npm_lifecycle_event: 'greet', [variable]: 'true' };
  expect(await runCommand(main, ['ann'], env)).toEqual(
    refusal(`npm consumed ${option}. Write -- before it: npm run greet -- ${option}`, 2),
  );
  expect(
    (await runCommand(main, ['ann', `${option}`, ...(option === '--times' ? ['1'] : [])], env))
      .code,
  ).toBe(0);
});

it('detects that npm consumed --sql, which it reads as -s -q -l', async () => {
  const env = { npm_lifecycle_event: 'check', npm_config_long: 'true' };
  expect(await runCommand(check, ['a.b'], env)).toEqual(
    refusal('npm consumed --sql. Write -- before it: npm run check -- --sql', 2),
  );
});

it('prints its usage, with defaults', async () => {
  expect(await greet('--help')).toEqual({
    code: 0,
    stdout: `Usage: npm run greet -- [options] [name]

Greets.

Arguments:
  name             who

Options:
  --loud           in capitals
  --times <n>      how often (default: 1)
  --title <title>  in front of the name; may be repeated (default: none)
  --help           show this help
`,
    stderr: '',
  });
});

it.each(cases<[what: string, args: string[], fault: string]>('usage'))(
  'answers %s with one sentence and exit code 2',
  async (_, args, fault) => {
    expect(await greet(...args)).toEqual(refusal(fault, 2));
  },
);

it('answers an error of the action with one sentence and exit code 1', async () => {
  expect(await greet()).toEqual(refusal('There is nobody to greet.'));
});

it.each(cases<[command: string, fault: string]>('commands'))(
  'npm run %s gets one sentence and exit code 2 too',
  async (command, fault) => {
    const [name, ...args] = wordsOf(command);
    expect(await runCommand(name === 'soak' ? soak : bench, args)).toEqual(refusal(fault, 2));
  },
);

it('aligns the columns of a table', () => {
  const rows = [['NAME', 'BYTES'], ['a', '10'], ['longer']];
  expect(formatTable(rows, [1])).toBe('NAME    BYTES\na          10\nlonger');
});

describeOnLinux('on Linux', () => {
  it('reports that the disk of its output is full', () => {
    const command = `exec ${process.execPath} scripts/openapi.ts --help >/dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      1,
      'Error: The output cannot be written: no space left on device.\n',
    ]);
  });
});

it('ends silently, as by SIGPIPE, when nobody reads its output any more', async () => {
  const child = spawn(process.execPath, ['scripts/openapi.ts', '--help'], { stdio: 'pipe' });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  expect(await once(child, 'close')).toEqual([141, null]);
  expect(stderr).toBe('');
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a signal ends a command without leaving files or processes: %s',
  async (signal, code) => {
    const command = startScript('test/support/processes/wait-for-signal.ts');
    await command.until(/\n$/);
    const directory = command.stdout().trim();
    expect(existsSync(directory)).toBe(true);
    command.child.kill(signal);
    expect(await once(command.child, 'close')).toEqual([code, null]);
    expect([existsSync(directory), command.stderr()]).toEqual([false, '']);
  },
);

it('a signal ends a deployment after the current step, which is not interrupted', async () => {
  /** Whether a signal to the process has not been delivered yet; other systems than Linux do not tell. */
  function isPending(pid: number | undefined): boolean {
    const file = `/proc/${pid}/status`;
    return existsSync(file) && /^(Shd|Sig)Pnd:\s*0*[^0\s]/m.test(readFileSync(file, 'utf8'));
  }

  const file = join(testDirectory('steps-'), 'go-on');
  const command = startScript('test/support/processes/run-two-steps.ts', [file]);
  await command.until(/^begun\n/m);
  command.child.kill('SIGTERM');
  // On a busy machine the step could end before the signal is there.
  await until(() => !isPending(command.child.pid));
  writeFileSync(file, '');
  expect(await once(command.child, 'close')).toEqual([143, null]);
  expect(command.stdout()).toMatch(/^begun\nended\n$/m);
  expect(command.stdout()).not.toContain('comes next');
});
