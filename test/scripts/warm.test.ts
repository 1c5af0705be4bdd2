// Tests of `npm run warm` with the real client and a fake Cloud Scheduler.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { main } from '../../scripts/warm.ts';
import { type CommandResult, refusal, runCommand, wordsOf } from '../support/command.ts';
import { JOB, startFakeScheduler } from '../support/fakes/fake-scheduler.ts';
import { testDirectory } from '../support/temporary-directory.ts';

let scheduler: Awaited<ReturnType<typeof startFakeScheduler>>;

beforeAll(async () => void (scheduler = await startFakeScheduler()));
beforeEach(() => scheduler.reset());

const warm = (...args: string[]): Promise<CommandResult> =>
  runCommand(main, args, {
    CLOUD_SCHEDULER_EMULATOR_HOST: scheduler.host,
    GOOGLE_CLOUD_PROJECT: '',
  });
const run = (...args: string[]): Promise<CommandResult> =>
  warm(...args, '--project', 'p', '--location', 'l');

it('status prints state, last attempt and next run', async () => {
  const { code, stdout } = await run('status');
  expect(code).toBe(0);
  expect(stdout).toBe(`job          projects/p/locations/l/jobs/warm
state        ENABLED
schedule     */5 * * * * (Etc/UTC)
last attempt 2026-11-20T10:00:00.000Z, succeeded
next run     2026-11-20T10:05:00.000Z
`);
});

it('status prints that the last attempt failed', async () => {
  scheduler.job = { ...JOB, status: { code: 14, message: 'unavailable' } };
  expect((await run('status')).stdout).toContain('failed with code 14: unavailable');
});

it.each([
  ['run', 'runJob'],
  ['pause', 'pauseJob'],
  ['resume', 'resumeJob'],
])('%s acts on the given job', async (command, method) => {
  expect((await run(command, '--job', 'other')).code).toBe(0);
  expect(scheduler.calls).toEqual([{ method, name: 'projects/p/locations/l/jobs/other' }]);
});

it.each([
  ['no such job', status.NOT_FOUND, 'The job projects/p/locations/l/jobs/warm does not exist.'],
  ['no permission', status.PERMISSION_DENIED, 'Permission denied for '],
  ['no credentials', status.UNAUTHENTICATED, 'No credentials found: '],
  ['a state that does not allow it', status.FAILED_PRECONDITION, 'The state of the job '],
])('reports in one line that there is %s', async (_, fault, message) => {
  scheduler.failWith = { code: fault };
  const { code, stderr } = await run('pause');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Error: [^\n]*\n$/);
  expect(stderr).toContain(message);
});

it('uses the default job of a deployment', async () => {
  await warm('pause', '--project', 'p');
  expect(scheduler.calls).toEqual([
    { method: 'pauseJob', name: 'projects/p/locations/europe-west1/jobs/warm' },
  ]);
});

it.each<[string, string[], string]>([
  ['the job of a deployment with a name', [], 'warm-staging'],
  ['the job that is stated, also of a deployment with a name', ['--job', 'own'], 'own'],
])('uses %s', async (_, stated, job) => {
  await warm('pause', '--project', 'p', '--deployment', 'staging', ...stated);
  expect(scheduler.calls).toEqual([
    { method: 'pauseJob', name: `projects/p/locations/europe-west1/jobs/${job}` },
  ]);
});

describe('with --terraform', () => {
  const folder = testDirectory('terraform-');
  const withTerraform = (body: string, ...options: string[]): Promise<CommandResult> => {
    const file = join(folder, 'terraform');
    writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return runCommand(main, ['pause', '--terraform', 'infra', ...options], {
      CLOUD_SCHEDULER_EMULATOR_HOST: scheduler.host,
      PATH: `${folder}:/bin`,
    });
  };
  const OUTPUT =
    '{"deployment":{"value":{"project":"p1","location":"l1","job":"j1","database":"d1"}}}';

  it('uses the job of the deployment in the Terraform state', async () => {
    const asked = `[ "$*" = "-chdir=infra output -json -no-color" ]`;
    expect((await withTerraform(`${asked} && echo '${OUTPUT}'`)).code).toBe(0);
    expect(scheduler.calls).toEqual([
      { method: 'pauseJob', name: 'projects/p1/locations/l1/jobs/j1' },
    ]);
  });

  it('reads the state of a deployment with a name, whichever is selected', async () => {
    const body = `[ "$TF_WORKSPACE" = staging ] && echo '${OUTPUT}'`;
    expect((await withTerraform(body)).code).toBe(1);
    expect((await withTerraform(body, '--deployment', 'staging')).code).toBe(0);
  });

  it('reports that nothing is deployed there', async () => {
    const fault =
      'Terraform has no deployment in infra: run "npm run deploy" first, or name the project with --project.';
    expect(await withTerraform('echo {}')).toEqual(refusal(fault));
    expect(scheduler.calls).toEqual([]);
  });
});

it.each(
  Object.entries<[number, string]>({
    '': [2, 'use one of status, run, refresh, pause, resume. See --help.'],
    'status --job=': [2, "option '--job' argument missing. See --help."],
    'status --project a --project b': [2, "option '--project <id>' is given twice. See --help."],
    'run --timeout 0': [
      2,
      "option '--timeout <seconds>' argument '0' is invalid. It must be a number of seconds above 0, at most 86400. See --help.",
    ],
    'run --bundle dist': [2, '--bundle needs --wait.'],
    refresh: [2, "missing required argument 'name'. See --help."],
    status: [2, 'Specify the project: --project or GOOGLE_CLOUD_PROJECT.'],
  }),
)('explains the correct usage: npm run warm -- %s', async (command, [exitCode, message]) => {
  expect(await warm(...wordsOf(command))).toEqual(refusal(message, exitCode));
  expect(scheduler.calls).toEqual([]);
});

it('refuses to act on npm start', async () => {
  const { code, stderr } = await runCommand(main, ['status', '--project', 'p'], {
    FIRESTORE_EMULATOR_HOST: 'localhost:1',
    CLOUD_SCHEDULER_EMULATOR_HOST: '',
  });
  const fault = 'warm acts on a deployment, not on npm start: unset FIRESTORE_EMULATOR_HOST.';
  expect([code, stderr]).toEqual([2, `Error: ${fault}\n`]);
});
