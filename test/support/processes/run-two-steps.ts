// A command of two steps; the first one runs until a file exists.
import { createMain, runMain } from '../../../scripts/cli/command.ts';
import { runScript, scriptOf } from '../../../scripts/deploy/command-steps.ts';

const WAIT = 'echo begun; until [ -e "$0" ]; do sleep 0.05; done; echo ended';

void runMain(
  createMain('npm run steps --', (program, { env }) =>
    program.argument('<file>').action((file) =>
      runScript(
        scriptOf([
          { reason: 'waits', run: ['sh', '-c', WAIT, file] },
          { reason: 'comes next', run: ['echo', 'done'] },
        ]),
        env,
      ),
    ),
  ),
);
