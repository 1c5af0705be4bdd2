// The variables of a deployment with a name: none may come from another deployment.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '../../functions/core/json.ts';
import { PROJECT_DIRECTORY } from '../cli/project.ts';
import { faultOfName, namesOf } from './defaults.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Variables = Readonly<Record<string, unknown>>;

/** What two deployments in a project must not share, by Terraform's variables. */
const UNIQUE = Object.keys(namesOf('a'));

/**
 * The given options of terraform, with the variables of a deployment, in infra/NAME.tfvars. Throws without this file, and if Terraform
 * would read variables that it does not set from elsewhere: a key of another deployment would open this one too.
 */
export async function variablesOf(
  deployment: string,
  given: readonly string[],
  env: Env,
  folder = join(PROJECT_DIRECTORY, 'infra'),
): Promise<string[]> {
  const fault = faultOfName(deployment);
  if (fault !== undefined) throw new Error(`--deployment ${fault}`);
  const filesIn = (pattern: string): string[] => globSync(pattern, { cwd: folder }).toSorted();
  const [file] = filesIn(`${deployment}.tfvars{,.json}`);
  if (file === undefined) {
    const copy = `cp infra/example.tfvars infra/${deployment}.tfvars`;
    throw new Error(`Set the variables of ${deployment} first: ${copy}`);
  }
  const stated = given.map((one) => /^--?var=(\w+)=/.exec(one)?.[1]);
  if (stated.includes('deployment')) throw new Error('--deployment states the name already.');
  const own = await readVariables(join(folder, file));
  for (const other of filesIn('{terraform,*.auto}.tfvars{,.json}')) {
    refuseShared(await readVariables(join(folder, other)), `infra/${other} sets`);
  }
  const ofEnv = Object.entries(env).filter(([name, value]) => /^TF_VAR_/.test(name) && value);
  const named = ofEnv.map(([name, value]) => [name.replace('TF_VAR_', ''), value] as const);
  refuseShared(Object.fromEntries(named), 'TF_VAR_… in the environment sets');
  // The last one counts.
  return [`-var-file=${file}`, ...given, `-var=deployment=${deployment}`];

  function refuseShared(others: Variables, who: string): void {
    const shared = Object.keys(others)
      .filter((name) => !(name in own) && !stated.includes(name))
      .toSorted();
    if (shared.length > 0) {
      const them = shared.length === 1 ? 'it' : 'them';
      throw new Error(
        `${who} ${shared.join(', ')}, which Terraform would use for ${deployment} too. Set ${them} in infra/${file} as well (null for the default).`,
      );
    }
    const same = UNIQUE.filter((name) => others[name] && others[name] === own[name]);
    if (same.length === 0) return;
    throw new Error(
      `${who} the same ${same.join(', ')} as infra/${file}: two deployments cannot share ${same.length === 1 ? 'it' : 'them'}.`,
    );
  }
}

async function readVariables(path: string): Promise<Variables> {
  const text = readFileSync(path, 'utf8');
  // On demand: it is a WebAssembly module.
  const { parse } = await import('@cdktn/hcl2json');
  const variables: unknown = path.endsWith('.json') ? parseJson(text) : await parse(path, text);
  if (isObject(variables)) return variables;
  throw new Error(`${path} is not a file of variables.`);
}
