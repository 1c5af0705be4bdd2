// The paths of this project, so that commands work from any directory, and the names that the local service uses.
import { join, relative } from 'node:path';
import { SETTINGS } from '../../functions/config.ts';

/** The folder with package.json. */
export const PROJECT_DIRECTORY = join(import.meta.dirname, '../..');

/** A path inside the project, relative to the current directory, as messages show it. */
export function projectPath(path: string): string {
  return relative(process.cwd(), join(PROJECT_DIRECTORY, path)) || '.';
}

/** Shared with the commands that use the emulators of the local service. */
export const LOCAL = { project: 'local-project', dataset: SETTINGS.dataset.default } as const;

/** Settings for local runs only: deployed functions use Google's public services and their own saved queries. */
export const LOCAL_SETTINGS: readonly string[] = [
  SETTINGS.bigQueryApiEndpoint.name,
  SETTINGS.bigQueryEmulatorHost.name,
  SETTINGS.firestoreEmulatorHost.name,
  SETTINGS.catalogue.name,
];
