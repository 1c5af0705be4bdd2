// Tests of `npm run check -- --against REF` in a git repository.
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../../scripts/check.ts';
import { wordsOf } from '../../../support/command.ts';
import { FakeSqlTree } from '../../../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../../../support/sql/test-sql.ts';
import { ofMain, runTranscript, transcriptsOf } from '../../../support/sql/transcripts.ts';

it.each(transcriptsOf('test/scripts/check/contract/contract-command.txt'))(
  '%s',
  (_, transcript) => {
    function shell(cwd: string, command: string): undefined {
      const isolated = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
      const [program = '', ...args] = wordsOf(command);
      execFileSync(program, args, { cwd, env: isolated });
    }

    function commit(cwd: string): undefined {
      shell(cwd, 'git add --all');
      const author = '-c user.name=a -c user.email=a@example.com';
      shell(cwd, `git ${author} commit --quiet --message Change`);
    }

    const tree = new FakeSqlTree();
    cpSync(TEST_SQL, join(tree.directory, 'a/sql'), { recursive: true, dereference: true });
    shell(tree.directory, 'git init --quiet --initial-branch main');
    commit(tree.directory);
    return runTranscript(transcript, tree, {
      check: ofMain(main, { folder: 'a/sql' }),
      shell: ({ directory }, command) => shell(directory, command),
      commit: ({ directory }) => commit(directory),
    });
  },
);
