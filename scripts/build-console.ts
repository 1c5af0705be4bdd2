// `npm run build:console`: bundles the console into one page.
import { buildConsole } from './compile/console-page.ts';
import { createMain, runMain } from './cli/command.ts';
import { projectPath } from './cli/project.ts';

export const main = createMain('npm run build:console --', (program) => {
  program
    .description('Bundles functions/console into one page. npm start does this automatically.')
    .addHelpText(
      'after',
      `
Example:
  npm run build:console -- --out console.html`,
    )
    .option(
      '--out <file>',
      'output file. The service loads the page only from the default path',
      projectPath('functions/console/dist/console.html'),
    )
    .action(({ out }) => buildConsole(out));
});

if (import.meta.main) void runMain(main);
