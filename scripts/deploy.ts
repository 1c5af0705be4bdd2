// `npm run deploy`: checks, bundles and applies infra/ with Terraform.
import { join } from 'node:path';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { sqlOption } from './cli/options.ts';
import { faultOfName } from './deploy/defaults.ts';
import { deploymentOption } from './deploy/deployment-option.ts';
import { refuseOptions, variablesOf } from './deploy/deployment-variables.ts';
import { assignments, commandLine, deployChecked } from './deploy/run-script.ts';

export const main = createMain('npm run deploy --', (program, terminal) => {
  program
    .usage(
      '[--sql <dir>] [--deployment <name>] [--plan] [--allow-loss] [--dry-run] [options of terraform apply]',
    )
    .addOption(sqlOption())
    .addOption(deploymentOption())
    .option('--plan')
    .option('--allow-loss')
    .option('--dry-run')
    .argument('[options...]')
    .allowUnknownOption()
    .action(async (passedOn, { sql, deployment, plan, allowLoss, dryRun }) => {
      // The exit code of a usage error is that of changes.
      const Fault = plan ? Error : UsageError;
      const twice = passedOn.find((arg) => /^--?replace\b/.test(arg));
      if (twice !== undefined) {
        throw new Fault(
          `${twice} would be applied twice, with warm and with the rest: use npm run deploy:apply.`,
        );
      }
      refuseOptions(passedOn, Fault, plan ? ['out'] : []);
      const fault = deployment === undefined ? undefined : faultOfName(deployment);
      if (fault !== undefined) throw new Fault(`--deployment ${fault}`);
      await variablesOf(deployment, passedOn, terminal.env);
      const given = [
        ...(deployment === undefined ? [] : [`--deployment=${deployment}`]),
        ...(allowLoss ? ['--allow-loss'] : []),
        ...passedOn,
      ];
      const settingsOf = (sqlFromTop: string): string => {
        const isOther = sqlFromTop !== 'sql';
        const words = [...(isOther ? ['--sql', sqlFromTop] : []), ...given];
        const directory = isOther ? [`-var=sql_directory=${join('..', sqlFromTop)}`] : [];
        const again = ['npm', 'run', 'deploy', ...(words.length === 0 ? [] : ['--', ...words])];
        const settings = assignments({
          DEPLOYMENT: deployment ?? '',
          PLANS_ONLY: plan ? 'yes' : '',
          ROLL_BACK: `git checkout PREVIOUS-COMMIT && ${commandLine(again)}`,
        });
        return `${settings}\nset -- ${commandLine([...directory, ...given])}`;
      };
      return deployChecked(sql, ['terraform.sh', settingsOf], terminal, dryRun);
    });
  addHelp(program, 'deploy');
});

if (import.meta.main) void runMain(main);
