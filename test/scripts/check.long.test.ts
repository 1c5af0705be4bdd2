// Tests of `npm run check` on directories with one fault each: its messages and its exit code.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../scripts/check.ts';
import { runCommand } from '../support/command.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { ofMain, runTranscript, transcriptsOf } from '../support/sql/transcripts.ts';

const copy = (): FakeSqlTree => new FakeSqlTree(TEST_SQL);

it.each(transcriptsOf('test/scripts/cases/check.txt'))('%s', (_, transcript) =>
  runTranscript(transcript, copy(), {
    check: ofMain(main, { now: '2026-11-20T10:15:30.500Z' }),
    latin1({ directory }, file, text) {
      writeFileSync(join(directory, file), Buffer.from(text, 'latin1'));
      return undefined;
    },
    pipe({ directory }, file) {
      rmSync(join(directory, file), { force: true });
      execFileSync('mkfifo', [join(directory, file)]);
      return undefined;
    },
  }),
);

const check = ({ directory }: FakeSqlTree) => runCommand(main, ['--sql', directory]);

it('accepts a byte order mark at the start of every file', async () => {
  const tree = copy();
  const files = readdirSync(tree.directory, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /^(?!endpoint\.).*\.(?:json|sql)$/.test(name))) {
    tree.replace(file, /^/, '\uFEFF');
  }
  expect(await check(tree)).toMatchObject({ code: 0, stderr: '' });
});

it('prints no control characters from names', async () => {
  const tree = copy();
  mkdirSync(join(tree.directory, 'endpoints/\u001b[2J\u009b31m\r'));
  const { code, stderr } = await check(tree);
  expect(stderr).toContain('/endpoints/\\u001b[2J\\u009b31m\\u000d/');
  // oxlint-disable-next-line no-control-regex -- These are looked for.
  expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  expect(code).toBe(1);
});
