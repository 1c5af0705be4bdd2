// `npm run deploy:apply`: plans infra/ with Terraform and applies the plan, unless that would lose rows. `npm run deploy` runs it.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DAY_MS } from '../functions/core/clock.ts';
import { ExitCode, type Terminal, UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { repeatableOption } from './cli/options.ts';
import { PROJECT_DIRECTORY } from './cli/project.ts';
import { runProgram } from './cli/run-program.ts';
import { deploymentOption, workspaceOf } from './deploy/deployment-option.ts';
import { variablesOf } from './deploy/deployment-variables.ts';
import { existingIn, importBlocks } from './deploy/import-blocks.ts';
import {
  type Loss,
  type Plan,
  changesAnything,
  lossesOf,
  readPlan,
} from './deploy/planned-losses.ts';
import { restoreState, withoutProtection } from './deploy/terraform-state.ts';

interface Options {
  plan?: true;
  ask?: true;
  adopt?: true;
  allowLoss: readonly string[];
}

export const main = createMain('npm run deploy:apply --', (program, terminal) => {
  program
    .usage(
      '[--deployment <name>] [--plan | --ask] [--allow-loss <what>]... [--adopt] [options of terraform]',
    )
    .addOption(deploymentOption())
    .option('--plan')
    .option('--ask')
    .addOption(repeatableOption('--allow-loss <what>'))
    .option('--adopt')
    .argument('[options...]')
    .allowUnknownOption()
    .action(async (given, { deployment, ...options }) => {
      const passedOn =
        deployment === undefined ? given : await variablesOf(deployment, given, terminal.env);
      const place = { ...terminal, env: workspaceOf(terminal.env, deployment) };
      const refused = passedOn.find((one) => OF_PLAN.test(one) && !(options.plan && isOut(one)));
      // The exit code of a usage error is that of changes.
      const Fault = options.plan ? Error : UsageError;
      if (refused !== undefined) throw new Fault(`${refused} cannot be passed on.`);
      rmSync(ADOPTED, { force: true }); // Of a killed run, which nobody asked to go on.
      // For this user only: a plan contains generated keys.
      removeOldPlans();
      const folder = mkdtempSync(join(tmpdir(), PLANS));
      const cleanUp = () => {
        for (const path of [folder, ADOPTED]) rmSync(path, { recursive: true, force: true });
      };
      process.once('exit', cleanUp); // After a signal too.
      try {
        await planAndApply(passedOn, options, folder, place);
      } finally {
        process.off('exit', cleanUp);
        cleanUp();
      }
    });
  addHelp(program, 'deploy-apply');
});

const isOut = (option: string): boolean => /^--?out=/.test(option);
const PLANS = 'saved-queries-plan-';

/** Those of runs that were killed. A younger one may be in use. */
function removeOldPlans(): void {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(PLANS))) {
    const path = join(tmpdir(), name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.uid === process.getuid?.() && Date.now() - Number(found?.mtimeMs) > DAY_MS) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

/** Options of `terraform plan` that would end in another plan than the one that is applied. */
const OF_PLAN = /^--?(?:out|detailed-exitcode|destroy|state|state-out|backup)\b/;
/** Options that `terraform apply` takes beside a saved plan. */
const OF_APPLY = /^--?(?:compact-warnings|lock|lock-timeout|no-color|parallelism)\b/;
const APPROVE = /^--?auto-approve(?:=true)?$/;
const APPROVAL = /^--?auto-approve\b/;
/** The exit code of `--plan` for a plan with changes, as of `terraform plan -detailed-exitcode`. */
const CHANGES = 2;
/** What comes after a resource that exists may exist too, and its dependents after that. */
const ROUNDS_MAX = 8;
const ADOPTED = join(PROJECT_DIRECTORY, 'infra', 'adopted.tf.json');

async function planAndApply(
  passedOn: readonly string[],
  { plan: isPlanOnly, ask: asksOnly, adopt, allowLoss }: Options,
  folder: string,
  { env, print }: Terminal,
): Promise<void> {
  // Otherwise Terraform explains how to apply the plan by hand.
  const place = { directory: PROJECT_DIRECTORY, env: { ...env, TF_IN_AUTOMATION: '1' } };
  const terraform = async (output: 'inherit' | 'pipe', ...args: string[]): Promise<string> => {
    const command = ['terraform', '-chdir=infra', ...args];
    const { isDone, isMissing, stdout } = await runProgram(command, { ...place, output });
    if (isMissing) throw new Error('terraform is not installed.');
    if (!isDone) throw new Error(`terraform ${args[0]} failed: nothing was changed by this step.`);
    return stdout;
  };
  const restored = restoreState(join(PROJECT_DIRECTORY, 'infra'), env, adopt);
  if (restored !== undefined) print(restored);
  const out = passedOn.find(isOut);
  const planFile = out?.replace(/^--?out=/, '') ?? join(folder, 'plan');
  const planned = async () => {
    const options = passedOn.filter((option) => !APPROVAL.test(option) && option !== out);
    await terraform('inherit', 'plan', `-out=${planFile}`, ...options);
    const plan = readPlan(await terraform('pipe', 'show', '-json', planFile));
    const losses = lossesOf(plan);
    refuseLosses(losses, plan, allowLoss);
    if (losses.length > 0) print(listed('Allowed:', losses));
    const unused = allowLoss.filter((id) => !losses.some((loss) => loss.id === id));
    // Later steps plan what is left.
    if ((isPlanOnly ?? asksOnly) && unused.length > 0)
      print(`The plan does not lose ${unused.join(', ')}.`);
    return { plan, losses };
  };
  const adopted: string[] = [];
  for (let round = 0; ; round += 1) {
    let { plan, losses } = await planned();
    if (isPlanOnly) {
      if (changesAnything(plan)) throw new ExitCode(CHANGES);
      return;
    }
    if (round === 0) await confirm(passedOn, plan);
    if (asksOnly) return;
    // More than once: what a provider plans for a table may differ from one plan to the next.
    for (let again = 0; again < 3; again += 1) {
      if (!losses.some(({ isProtected }) => isProtected)) break;
      await endProtection(losses);
      ({ plan, losses } = await planned());
    }
    const apply = [
      'terraform',
      '-chdir=infra',
      'apply',
      ...passedOn.filter((one) => OF_APPLY.test(one)),
    ];
    const { isDone, stderr } = await runProgram([...apply, planFile], {
      ...place,
      output: 'inherit',
      keepsErrors: true,
    });
    if (isDone) return;
    const isCreated = (address: string): boolean =>
      plan.resource_changes.some(
        (one) => one.address === address && one.change.actions.includes('create'),
      );
    const existing = existingIn(stderr).filter(
      (address) => isCreated(address) && !adopted.includes(address),
    );
    if (existing.length === 0 || round === ROUNDS_MAX) throw new Error('terraform apply failed.');
    if (!adopt) {
      throw new Error(
        `These exist, but the state does not have them: ${existing.join(', ')}. If an earlier run was interrupted, run it again with --adopt, which takes them over.`,
      );
    }
    adopted.push(...existing);
    print(`\n# Taking over what exists: ${existing.join(', ')}`);
    writeFileSync(ADOPTED, importBlocks(adopted, plan));
  }

  /** Terraform keeps this protection in its state alone, so no resource is touched. */
  async function endProtection(losses: readonly Loss[]): Promise<void> {
    const state = join(folder, 'state');
    const text = await terraform('pipe', 'state', 'pull');
    writeFileSync(state, withoutProtection(text, losses));
    await terraform('inherit', 'state', 'push', state);
  }
}

/** Throws for a loss without permission. */
function refuseLosses(losses: readonly Loss[], plan: Plan, allowed: readonly string[]): void {
  // A value of `-var` is text.
  const isOpen = String(plan.variables?.deletion_protection?.value) === 'false';
  const isAllowed = ({ id, isOfOthers = false }: Loss) =>
    allowed.includes(id) || (isOpen && !isOfOthers);
  const refused = losses.filter((loss) => !isAllowed(loss));
  if (refused.length > 0) {
    const options = refused.map(({ id }) => `--allow-loss '${id}'`).join(' ');
    throw new Error(
      `${listed('This plan is refused, and nothing of it was applied:', refused)}\nTo allow it, run: npm run deploy -- ${options} (with your other options)\nTo keep the rows of a table, see "Change a table" in infra/README.md.`,
    );
  }
}

const listed = (title: string, losses: readonly Loss[]): string =>
  [title, ...losses.map(({ id, text }) => `  ${id}: ${text}.`)].join('\n');

/** Asks on the terminal, or reads the answer from a pipe. Throws unless it is yes. */
async function confirm(passedOn: readonly string[], plan: Plan): Promise<void> {
  if (!changesAnything(plan) || passedOn.some((option) => APPROVE.test(option))) return;
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
