// The variables of a deployment, each of which must be one of infra/ and none another deployment's, and Terraform's other options.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isObject, membersOf, parseJson } from '../../functions/core/json.ts';
import { reasonOf } from '../cli/write-file.ts';
import { PROJECT_DIRECTORY } from '../cli/project.ts';
import { faultOfName, namesOf } from './defaults.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Variables = Readonly<Record<string, unknown>>;
/** Where variables are stated, as a message names it. */
type Stated = readonly [place: string, variables: Variables];

/** What two deployments in a project must not share, by its name in the variable `names`. */
const UNIQUE = Object.keys(namesOf('a'));

/**
 * The given options of terraform, with the variables of a deployment with a name, in infra/NAME.tfvars. Throws for a variable that
 * infra/ does not have (Terraform only warns, and the deployment has the default), and without `project_id`. With a name, also
 * without its file, and if Terraform would read variables that it does not set from elsewhere: a key of another deployment would
 * open this one too.
 */
export async function variablesOf(
  deployment: string | undefined,
  given: readonly string[],
  env: Env,
  folder = join(PROJECT_DIRECTORY, 'infra'),
): Promise<string[]> {
  const fault = deployment === undefined ? undefined : faultOfName(deployment);
  if (fault !== undefined) throw new Error(`--deployment ${fault}`);
  const read = async (file: string): Promise<Stated> => [
    `infra/${file}`,
    await readVariables(resolve(folder, file)),
  ];
  const filesIn = (pattern: string): string[] => globSync(pattern, { cwd: folder }).toSorted();
  const [file] = deployment === undefined ? [] : filesIn(`${deployment}.tfvars{,.json}`);
  if (deployment !== undefined && file === undefined) {
    const copy = `cp infra/example.tfvars infra/${deployment}.tfvars`;
    throw new Error(`Set the variables of ${deployment} first: ${copy}`);
  }
  const own = file === undefined ? undefined : await read(file);
  const found: Stated[] = [];
  for (const other of filesIn('{terraform,*.auto}.tfvars{,.json}')) found.push(await read(other));
  const ofEnv = Object.entries(env).filter(([name, value]) => /^TF_VAR_/.test(name) && value);
  const named = ofEnv.map(([name, value]) => [name.replace('TF_VAR_', ''), value] as const);
  found.push(['TF_VAR_… in the environment', Object.fromEntries(named)]);
  const stated: Stated[] = [];
  for (const option of given) {
    const [, kind, value = ''] = /^--?(var|var-file)=(.*)$/s.exec(option) ?? [];
    if (kind === 'var-file') stated.push([option, (await read(value))[1]]);
    if (kind === 'var') stated.push([option, { [value.replace(/=.*/s, '')]: '' }]);
  }
  const all = [...found, ...(own === undefined ? [] : [own]), ...stated];
  requireKnown(all, await declaredIn());
  if (own !== undefined) {
    const names = stated.flatMap(([, variables]) => Object.keys(variables));
    if (names.includes('deployment')) throw new Error('--deployment states the name already.');
    for (const other of found) refuseShared(other, own, names);
  }
  if (!all.some(([, variables]) => 'project_id' in variables)) {
    throw new Error(
      `Set project_id first: cp infra/example.tfvars infra/${file ?? 'terraform.tfvars'}`,
    );
  }
  if (own === undefined) return [...given];
  // The last one counts.
  return [`-var-file=${file}`, ...given, `-var=deployment=${deployment}`];
}

function requireKnown(all: readonly Stated[], declared: readonly string[]): void {
  for (const [place, variables] of all) {
    const unknown = Object.keys(variables).filter((name) => !declared.includes(name));
    if (unknown.length === 0) continue;
    throw new Error(
      `${place} sets ${unknown.join(', ')}, which is no variable of infra/. Variables: ${declared.join(', ')}.`,
    );
  }
}

function refuseShared([who, others]: Stated, [file, own]: Stated, stated: readonly string[]): void {
  const shared = Object.keys(others)
    .filter((name) => !(name in own) && !stated.includes(name))
    .toSorted();
  if (shared.length > 0) {
    throw new Error(
      `${who} sets ${shared.join(', ')}, which Terraform would use for this deployment too. Set the same in ${file} (null for the default).`,
    );
  }
  const [named, ownNamed] = [others.names, own.names].map(membersOf);
  const same = UNIQUE.filter((name) => named?.[name] && named[name] === ownNamed?.[name]);
  if (same.length === 0) return;
  throw new Error(
    `${who} sets the same ${same.join(', ')} as ${file}: two deployments cannot share that.`,
  );
}

async function declaredIn(): Promise<string[]> {
  const { variable } = await readVariables(join(PROJECT_DIRECTORY, 'infra/variables.tf'));
  return Object.keys(variable as Variables);
}

async function readVariables(path: string): Promise<Variables> {
  try {
    const text = readFileSync(path, 'utf8');
    // On demand: it is a WebAssembly module.
    const { parse } = await import('@cdktn/hcl2json');
    const variables: unknown = path.endsWith('.json') ? parseJson(text) : await parse(path, text);
    if (isObject(variables)) return variables;
  } catch (error) {
    throw new Error(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  throw new Error(`${path} is not a file of variables.`);
}

/** Those of `terraform plan` that end in the plan that is applied, and `-auto-approve`. */
const OF_PLAN = [
  ...['auto-approve', 'compact-warnings', 'input', 'lock', 'lock-timeout', 'no-color'],
  ...['parallelism', 'refresh', 'replace', 'target', 'var', 'var-file'],
];
/** Those that `terraform apply` takes beside a saved plan. */
export const OF_APPLY = /^--?(?:compact-warnings|lock|lock-timeout|no-color|parallelism)\b/;

/** Throws a `Fault` for another option, or an argument that is none. `more`: allowed too. */
export function refuseOptions(
  given: readonly string[],
  Fault: new (message: string) => Error,
  more: readonly string[] = [],
): void {
  const allowed = [...OF_PLAN, ...more];
  const other = given.find((one) => !allowed.includes(/^--?([\w-]+)/.exec(one)?.[1] ?? ''));
  if (other === undefined) return;
  throw new Fault(
    `${other} cannot be passed on. Options of Terraform, as -name=value: ${allowed.join(', ')}.`,
  );
}
