// Tests of `npm run warm` with the real client and a fake Cloud Scheduler.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../scripts/warm.ts';
import { printedBy, runCommand, wordsOf } from '../support/command.ts';
import { JOB, startFakeScheduler } from '../support/fakes/fake-scheduler.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { runTranscript, transcriptsOf } from '../support/sql/transcripts.ts';

it.each(transcriptsOf('test/scripts/cases/warm.txt'))('%s', async (_, transcript) => {
  const scheduler = await startFakeScheduler();
  await runTranscript(transcript, new FakeSqlTree(), {
    async warm({ directory }, args, __, given) {
      const env = {
        CLOUD_SCHEDULER_EMULATOR_HOST: scheduler.host,
        GOOGLE_CLOUD_PROJECT: '',
        PATH: `${directory}:/bin`,
      };
      return printedBy(await runCommand(main, wordsOf(args), { ...env, ...given }));
    },
    job: (_, json) => void (scheduler.job = { ...JOB, ...(JSON.parse(json) as object) }),
    fail: (_, code) => void (scheduler.failWith = { code: Number(code) }),
    terraform({ directory }, body) {
      writeFileSync(join(directory, 'terraform'), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
      return undefined;
    },
    calls: () => scheduler.calls.map(({ method, name }) => `${method} ${name}\n`).join(''),
  });
});
