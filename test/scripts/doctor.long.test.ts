// Tests of `npm run doctor` with the real clients: a healthy deployment of stand-ins, and faults put into it by hand.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../scripts/doctor.ts';
import type { Deployment } from '../../scripts/doctor/deployment.ts';
import { faultsOfRun } from '../../scripts/doctor/warming.ts';
import { printedBy, runCommand, wordsOf } from '../support/command.ts';
import { COUNTS, startFakeDeployment } from '../support/fakes/fake-deployment.ts';
import { runTranscript, transcriptsOf } from '../support/sql/transcripts.ts';
import { columns } from '../support/sql/columns.ts';
import { testDirectory } from '../support/temporary-directory.ts';

it.each(transcriptsOf('test/scripts/cases/doctor.txt'))('%s', async (_, transcript) => {
  const d = await startFakeDeployment();
  const { proxy, scheduler } = d;
  /** The output of the last run, with stable names in place of those of this one. */
  let printed = '';
  async function doctor(given: string, env: Record<string, string> = {}): Promise<string> {
    const args = given
      .replace('{project}', d.project)
      .replace('{url}', d.url)
      .replace('{sql}', d.sql.directory);
    printed = printedBy(await runCommand(main, wordsOf(args), { ...d.env, ...env }))
      .replaceAll(d.project, 'P')
      .replaceAll(d.url, 'URL')
      .replaceAll(proxy.host, 'EMULATOR')
      .replaceAll(d.sql.directory, 'SQL');
    return printed.replaceAll(/^✓ .*\n/gm, '');
  }

  const secondsAgo = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;

  /** With a `terraform` that does as `body` says. */
  function ofTerraform(body: string): Promise<string> {
    const { project, url } = d;
    const deployment = { project, location: 'l1', job: 'j1', database: 'saved-queries' };
    const values = { deployment, dataset: `${project}.saved_query_logs`, query_url: url };
    const outputs = Object.entries(values).map(([name, value]) => [name, { value }]);
    const text = JSON.stringify(Object.fromEntries(outputs));
    const folder = testDirectory('terraform-');
    const script = `#!/bin/sh\n[ "$*" = "-chdir=infra output -json -no-color" ] || exit 3\n${body.replace('{outputs}', text)}\n`;
    writeFileSync(join(folder, 'terraform'), script, { mode: 0o755 });
    const env = { PATH: `${folder}:/bin`, GOOGLE_CLOUD_PROJECT: '' };
    return doctor('--terraform infra --sql {sql}', env);
  }

  const parsed = (json: string) => JSON.parse(json || '{}') as Record<string, number>;
  await runTranscript(transcript, d.sql, {
    doctor: (_, args, __, env) =>
      doctor(`--project {project} --url {url} --sql {sql} ${args}`, env),
    plain: (_, args, __, env) => doctor(args, env),
    terraform: (_, body) => ofTerraform(body),
    lines: () => printed,
    calls: () =>
      [...d.calls, ...scheduler.calls.map(({ name }) => name)]
        .map((call) => `${call.replace(d.project, 'P')}\n`)
        .sort()
        .join(''),
    dataset: (_, json) => void (d.dataset = JSON.parse(json) as typeof d.dataset),
    table(_, args) {
      const [, name = '', list] = /^(\S+) ?(.*)$/.exec(args) ?? [];
      if (list) Object.assign(d.tables[name] ?? {}, { schema: { fields: columns(list) } });
      else delete d.tables[name];
      return undefined;
    },
    async run(_, json) {
      await d.run(json === '' ? undefined : { ...COUNTS, ...parsed(json) });
      return '';
    },
    async norun() {
      await d.results.doc('runs/warm').delete();
      return '';
    },
    async key(_, args) {
      const [, name = '', json = ''] = /^(\S+) ?(.*)$/.exec(args) ?? [];
      const { expiresInDays, ...fields } = parsed(json);
      const expiresAtMs = expiresInDays && Date.now() + expiresInDays * 86_400_000;
      if (json === '') await d.keys.doc(`apiKeys/${name}`).set({ name: 1 });
      else await d.key(name, { ...(expiresAtMs && { expiresAtMs }), ...fields });
      return '';
    },
    scheduler: (_, json) => void (scheduler.failWith = JSON.parse(json) as { code: number }),
    job(_, json) {
      const { ranSecondsAgo, ...fields } = parsed(json);
      const ran =
        ranSecondsAgo === undefined
          ? {}
          : { lastAttemptTime: { seconds: secondsAgo(ranSecondsAgo) } };
      scheduler.job = { ...scheduler.job, ...ran, ...fields };
      return undefined;
    },
    address: (_, codes) => void ([d.health = 0, d.list = 0] = codes.split(' ').map(Number)),
    hang(_, what) {
      if (what === 'address') d.hangs = true;
      if (what === 'BigQuery') d.dataset = 'stall';
      if (what === 'Firestore') proxy.fault = () => 'stall';
      if (what === 'scheduler') scheduler.failWith = 'stall';
      return undefined;
    },
  });
  // The command only reads, whatever it finds.
  d.expectOnlyReads();
});

it('a run of warm that ended long ago is a fault', () => {
  const run = { catalogueDigest: '', demands: new Map(), counts: COUNTS, endedAtMs: 0 };
  const place = { project: 'P', location: 'europe-west1', job: 'warm' } as Deployment;
  expect(faultsOfRun(run, 25 * 60_000, place).map(({ text }) => text)).toEqual([
    'The last run of warm ended 25 minutes ago — npm run warm -- status --project P --location europe-west1 --job warm',
  ]);
  expect(faultsOfRun(run, 14 * 60_000, place)).toEqual([]);
});
