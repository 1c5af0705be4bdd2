// Options that several commands share.
import { Option } from '@commander-js/extra-typings';
import { SETTINGS } from '../../functions/config.ts';
import type { Terminal } from './command.ts';

/** The option `--project`; its default comes from the environment. */
export function projectOption({ env }: Terminal) {
  return new Option('--project <id>', 'Google Cloud project').default(
    env[SETTINGS.project.name] ?? '',
    SETTINGS.project.name,
  );
}

/** Throws if neither option nor environment names the project. */
export function requireProject(project: string): string {
  if (project !== '') return project;
  throw new Error('Name the project: --project or GOOGLE_CLOUD_PROJECT.');
}

/** An option that may be repeated; its value is a list, empty by default. */
export function repeatableOption<Flags extends string>(flags: Flags, description: string) {
  return new Option(flags, `${description}; may be repeated`)
    .default<string[]>([], 'none')
    .argParser<string[]>((value, earlier) => [...earlier, value]);
}
