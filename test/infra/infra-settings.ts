// `npm run infra:settings`: writes infra/settings.json, which Terraform reads: the settings with their defaults and bounds.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { SETTINGS, type Setting } from '../../functions/config.ts';
import { LOCAL_SETTINGS, PROJECT_DIRECTORY } from '../../scripts/cli/project.ts';
import { DEPLOYED_BY } from './deployed-by.ts';

/** The text of the file: the settings that a deployment may change. */
export async function infraSettings(): Promise<string> {
  const settings = Object.values<Setting>(SETTINGS)
    .filter(({ name }) => !LOCAL_SETTINGS.includes(name) && !Object.hasOwn(DEPLOYED_BY, name))
    .map(({ name, default: value, range, allowed, pattern, must }) => {
      return [name, { default: value, range, allowed, pattern, must }];
    });
  const json = JSON.stringify(Object.fromEntries(settings));
  return format(json, { parser: 'json', printWidth: 100 });
}

if (import.meta.main) {
  writeFileSync(join(PROJECT_DIRECTORY, 'infra/settings.json'), await infraSettings());
}
