// A command of two steps; the first one runs until a file exists.
import { createMain, runMain } from '../../../scripts/cli/command.ts';
import { runSteps } from '../../../scripts/deploy/command-steps.ts';

const WAIT = 'echo begun; until [ -e "$0" ]; do sleep 0.05; done; echo ended';

void runMain(
  createMain('npm run steps --', (program, { env, print }) =>
    program.argument('<file>').action((file) =>
      runSteps(
        [
          { reason: 'waits', run: ['sh', '-c', WAIT, file] },
          { reason: 'comes next', run: ['echo', 'done'] },
        ],
        { directory: process.cwd(), env, print },
      ),
    ),
  ),
);
