// A command of two steps; the first one runs until a file exists.
import { createMain, runMain } from '../../../scripts/cli/command.ts';
import { HEAD, runScript } from '../../../scripts/deploy/run-script.ts';

const WAIT = 'echo begun; until [ -e "$0" ]; do sleep 0.05; done; echo ended';

void runMain(
  createMain('npm run steps --', (program, { env }) =>
    program
      .argument('<file>')
      .action((file) => runScript(`${HEAD}\nrun sh -c '${WAIT}' '${file}'\nrun echo done\n`, env)),
  ),
);
