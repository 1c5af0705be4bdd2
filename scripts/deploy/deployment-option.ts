// The option `--deployment`: of several deployments in a project, the one that a command is about.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Command,
  type CommandUnknownOpts,
  InvalidArgumentError,
  Option,
} from '@commander-js/extra-typings';
import { isObject, parseJson } from '../../functions/core/json.ts';
import { PROJECT_DIRECTORY } from '../cli/project.ts';
import { type Names, namesOf } from './defaults.ts';

/** As the variable `deployment` of infra/variables.tf. */
const NAME = /^[a-z][a-z0-9]{0,15}$/;

export function deploymentOption() {
  return new Option('--deployment <name>').argParser((text) => {
    if (NAME.test(text)) return text;
    throw new InvalidArgumentError(
      'It must be 1 to 16 lower-case letters and digits, starting with a letter.',
    );
  });
}

/** Options that are not on the command line get the names of `--deployment`. `names`: which one, by option. */
export function namedByDeployment(
  program: Command,
  names: Readonly<Record<string, keyof Names>>,
): void {
  program.hook('preAction', (_, action: CommandUnknownOpts) => {
    const { deployment } = action.opts() as { deployment?: string };
    if (deployment === undefined) return;
    const byName = namesOf(deployment);
    for (const option of action.options.map((one) => one.attributeName())) {
      const name = names[option];
      if (name === undefined || action.getOptionValueSource(option) === 'cli') continue;
      action.setOptionValueWithSource(option, byName[name], 'default');
    }
  });
}

/**
 * The options of terraform with the variables of a deployment, in infra/NAME.tfvars. Throws without this file, and if Terraform
 * would read variables from other files that it does not set: a key of theirs would open this deployment too.
 */
export function variablesOf(
  deployment: string,
  given: readonly string[],
  folder = join(PROJECT_DIRECTORY, 'infra'),
): string[] {
  const filesIn = (pattern: string): string[] => globSync(pattern, { cwd: folder }).toSorted();
  const setIn = (file: string) => variablesIn(readFileSync(join(folder, file), 'utf8'));
  const [file] = filesIn(`${deployment}.tfvars{,.json}`);
  if (file === undefined) {
    const copy = `cp infra/example.tfvars infra/${deployment}.tfvars`;
    throw new Error(`Set the variables of ${deployment} first: ${copy}`);
  }
  const own = [...setIn(file), ...given.map((one) => /^--?var=(\w+)=/.exec(one)?.[1])];
  for (const other of filesIn('{terraform,*.auto}.tfvars{,.json}')) {
    const shared = setIn(other).filter((name) => !own.includes(name));
    if (shared.length === 0) continue;
    throw new Error(
      `infra/${other} sets ${shared.join(', ')}, which Terraform would use for ${deployment} too. Set ${shared.length === 1 ? 'it' : 'them'} in infra/${file} as well.`,
    );
  }
  return [`-var-file=${file}`, `-var=deployment=${deployment}`];
}

/** The variables that the text of a file sets. In one of another deployment, what only looks like it counts too. */
function variablesIn(text: string): string[] {
  const variables = readFileSync(join(PROJECT_DIRECTORY, 'infra/variables.tf'), 'utf8');
  const names = [...variables.matchAll(/^variable "(\w+)"/gm)].map(([, name = '']) => name);
  const json = parseJson(text);
  return names.filter((name) =>
    isObject(json) ? name in json : new RegExp(`^\\s*"?${name}"?\\s*=`, 'm').test(text),
  );
}

/** As `workspaceOf`, for a step that is also printed. */
export function workspaceCommand(deployment: string | undefined): string[] {
  return deployment === undefined
    ? ['terraform']
    : ['env', `TF_WORKSPACE=${deployment}`, 'terraform'];
}

/** The state of a deployment with a name is in the workspace of that name. For one command, so that no later one finds it selected. */
export function workspaceOf<Env extends Readonly<Record<string, string | undefined>>>(
  env: Env,
  deployment: string | undefined,
): Env {
  return deployment === undefined ? env : { ...env, TF_WORKSPACE: deployment };
}
