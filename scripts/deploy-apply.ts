// `npm run deploy:apply`: plans infra/ with Terraform and applies the plan, unless that would lose something. `npm run deploy` runs it.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ExitCode, type Terminal, UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { PROJECT_DIRECTORY } from './cli/project.ts';
import { runProgram } from './cli/run-program.ts';
import { withScratch } from './cli/write-file.ts';
import { deploymentOption, workspaceOf } from './deploy/deployment-option.ts';
import { OF_APPLY, refuseOptions, variablesOf } from './deploy/deployment-variables.ts';
import { changesAnything, lossesOf, readPlan } from './deploy/planned-losses.ts';

interface Options {
  plan?: true;
  ask?: true;
  allowLoss?: true;
}

export const main = createMain('npm run deploy:apply --', (program, terminal) => {
  program
    .usage('[--deployment <name>] [--plan | --ask] [--allow-loss] [options of terraform]')
    .addOption(deploymentOption())
    .option('--plan')
    .option('--ask')
    .option('--allow-loss')
    .argument('[options...]')
    .allowUnknownOption()
    .action(async (given, { deployment, ...options }) => {
      // The exit code of a usage error is that of changes.
      refuseOptions(given, options.plan ? Error : UsageError, options.plan ? ['out'] : []);
      const passedOn = await variablesOf(deployment, given, terminal.env);
      const env = workspaceOf(terminal.env, deployment);
      // A plan contains generated keys.
      await withScratch((folder) => planAndApply(passedOn, options, folder, { ...terminal, env }));
    });
  addHelp(program, 'deploy-apply');
});

const isOut = (option: string): boolean => /^--?out=/.test(option);
const APPROVE = /^--?auto-approve(?:=true)?$/;
const APPROVAL = /^--?auto-approve\b/;
/** The exit code of `--plan` for a plan with changes, as of `terraform plan -detailed-exitcode`. */
const CHANGES = 2;

async function planAndApply(
  passedOn: readonly string[],
  { plan: isPlanOnly, ask: asksOnly, allowLoss: isLossAllowed }: Options,
  folder: string,
  { env, print }: Terminal,
): Promise<void> {
  // Otherwise Terraform explains how to apply the plan by hand.
  const place = { directory: PROJECT_DIRECTORY, env: { ...env, TF_IN_AUTOMATION: '1' } };
  const terraform = async (output: 'inherit' | 'pipe', ...args: string[]): Promise<string> => {
    const command = ['terraform', '-chdir=infra', ...args];
    const { isDone, isMissing, stdout } = await runProgram(command, { ...place, output });
    if (isMissing) throw new Error('terraform is not installed.');
    if (isDone) return stdout;
    const remedy = 'If something exists already: infra/README.md, "A deployment was interrupted".';
    throw new Error(`terraform ${args[0]} failed. ${args[0] === 'apply' ? remedy : ''}`.trim());
  };
  const out = passedOn.find(isOut);
  const file = out?.replace(/^--?out=/, '') ?? join(folder, 'plan');
  const options = passedOn.filter((option) => !APPROVAL.test(option) && option !== out);
  await terraform('inherit', 'plan', `-out=${file}`, ...options);
  const plan = readPlan(await terraform('pipe', 'show', '-json', file));
  const losses = lossesOf(plan).map((loss) => `  ${loss}.`);
  if (losses.length > 0 && !isLossAllowed) {
    throw new Error(
      [
        'This plan is refused, and nothing of it was applied. It',
        ...losses,
        'If that is meant, run the command again with --allow-loss: infra/README.md, "Change a table".',
      ].join('\n'),
    );
  }
  if (losses.length > 0) print(['Allowed by --allow-loss:', ...losses].join('\n'));
  const hasChanges = changesAnything(plan);
  if (isPlanOnly && hasChanges) throw new ExitCode(CHANGES);
  if (isPlanOnly) return;
  if (hasChanges && !passedOn.some((option) => APPROVE.test(option))) await confirm(passedOn);
  if (asksOnly) return;
  await terraform('inherit', 'apply', ...passedOn.filter((one) => OF_APPLY.test(one)), file);
}

/** Asks on the terminal, or reads the answer from a pipe. Throws unless it is yes. */
async function confirm(passedOn: readonly string[]): Promise<void> {
  if (passedOn.some((option) => /^--?input=false$/.test(option))) {
    throw new Error('Nothing was applied: without a question, -auto-approve is needed.');
  }
  process.stdout.write('\nApply these changes? Only "yes" does: ');
  for await (const answer of createInterface({ input: process.stdin })) {
    if (answer.trim() === 'yes') return;
    break;
  }
  throw new Error('Nothing was applied.');
}

if (import.meta.main) void runMain(main);
