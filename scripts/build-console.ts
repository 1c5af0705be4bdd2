// `npm run build:console`: the console's page, for a function that is started by hand or deployed.
import { parseArgs } from 'node:util';
import { exitWithUsage, runCommand } from './cli/command.ts';
import { CONSOLE_PAGE, buildConsole } from './bundle/console-page.ts';

const USAGE = `Usage: npm run build:console -- [--out FILE]

Bundles functions/console into one page. npm start does so by itself.

  --out FILE   where to write it (default: functions/console/dist/console.html, where the function
               looks for it: console/dist/console.html beside its entry)
  --help       this text
`;

await runCommand(async () => {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) exitWithUsage(USAGE);
  await buildConsole(values.out ?? CONSOLE_PAGE);
});
