// The names and locations of a deployment, from options or from Terraform's state.
import { isObject } from '../../functions/core/json.ts';
import { requireProject } from '../cli/options.ts';
import { runProgram } from '../cli/run-program.ts';

export interface Place {
  project: string;
  location: string;
  job: string;
  database: string;
}

/** `terraform` is the directory of Terraform's files and state; it provides all names. */
export async function requirePlace(
  { terraform, ...place }: Place & { terraform?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Promise<Place> {
  if (terraform === undefined) return { ...place, project: requireProject(place.project) };
  const command = ['terraform', `-chdir=${terraform}`, 'output', '-json', 'deployment'];
  const ran = await runProgram(command, { directory: '.', env, output: 'pipe' });
  const { isDone, isMissing, stdout } = ran;
  if (isMissing) throw new Error('terraform is not installed.');
  const stated: unknown = isDone ? JSON.parse(stdout) : undefined;
  if (!isObject(stated)) throw new Error(`Terraform has no deployment in ${terraform}.`);
  return { ...place, ...stated };
}
