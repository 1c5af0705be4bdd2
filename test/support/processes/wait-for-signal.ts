// A command that creates a temporary directory, prints its path, and then waits for ever.
import { createMain, runMain } from '../../../scripts/cli/command.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

void runMain(
  createMain('npm run wait --', (program, { print }) =>
    program.action(async () => {
      print(temporaryDirectory('wait-').path);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    }),
  ),
);
