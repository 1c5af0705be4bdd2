// `npm run build:console`: bundles the console into one page.
import { buildConsole } from './compile/console-page.ts';
import { createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { projectPath } from './cli/project.ts';

export const main = createMain('npm run build:console --', (program) => {
  program
    .option('--out <file>', '', projectPath('functions/console/dist/console.html'))
    .action(({ out }) => buildConsole(out));
  addHelp(program, 'build-console');
});

if (import.meta.main) void runMain(main);
