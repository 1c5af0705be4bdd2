// The option `--deployment`: of several deployments in a project, the one that a command is about.
import { type Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { UsageError } from '../cli/command.ts';
import { DEPLOYMENT, type Names, faultOfName, namesOf } from './defaults.ts';

/** The variables and the defaults of options that name a part of a deployment. */
const PARTS = {
  region: ['SCHEDULER_LOCATION', DEPLOYMENT.region],
  job: ['SCHEDULER_JOB', DEPLOYMENT.scheduler_job],
  results: ['FIRESTORE_DATABASE', DEPLOYMENT.firestore_database],
  keys: ['KEYS_DATABASE', DEPLOYMENT.keys_database],
  dataset: ['BIGQUERY_DATASET', DEPLOYMENT.bigquery_dataset],
  place: ['BIGQUERY_LOCATION', DEPLOYMENT.bigquery_location],
} as const;

/** Makes options whose default is a variable of the environment, else the name that a deployment has by default. */
export function partOptions(env: Readonly<Record<string, string | undefined>>) {
  return <Flags extends string>(flags: Flags, part: keyof typeof PARTS) => {
    const [variable, byDefault] = PARTS[part];
    const option = new Option(flags);
    return option.default(env[variable] || byDefault, `${variable}, else ${byDefault}`);
  };
}

export const deploymentOption = () => new Option('--deployment <name>');

/** Options that are not on the command line get the names of `--deployment`. `names`: which one, by option. */
export function namedByDeployment(
  program: Command,
  names: Readonly<Record<string, keyof Names>>,
): void {
  program.hook('preAction', (_, action: CommandUnknownOpts) => {
    const { deployment } = action.opts() as { deployment?: string };
    if (deployment === undefined) return;
    const fault = faultOfName(deployment);
    if (fault !== undefined) throw new UsageError(`--deployment ${fault}`);
    const byName = namesOf(deployment);
    for (const option of action.options.map((one) => one.attributeName())) {
      const name = names[option];
      if (name === undefined || action.getOptionValueSource(option) === 'cli') continue;
      action.setOptionValueWithSource(option, byName[name], 'default');
    }
  });
}

/** The state of a deployment with a name is in the workspace of that name. For one command, so that no later one finds it selected. */
export function workspaceOf<Env extends Readonly<Record<string, string | undefined>>>(
  env: Env,
  deployment: string | undefined,
): Env {
  return deployment === undefined ? env : { ...env, TF_WORKSPACE: deployment };
}
