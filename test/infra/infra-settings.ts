// `npm run infra:settings`: writes infra/settings.json, which Terraform reads: the settings with their defaults and bounds.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS, type Setting } from '../../functions/config.ts';
import { LOCAL_SETTINGS, PROJECT_DIRECTORY } from '../../scripts/cli/project.ts';
import { DEPLOYED_BY } from '../../scripts/deploy/defaults.ts';

/** The text of the file: one line for each setting that a deployment may change. */
export function infraSettings(): string {
  const lines = Object.values<Setting>(SETTINGS)
    .filter(({ name }) => !LOCAL_SETTINGS.includes(name) && !Object.hasOwn(DEPLOYED_BY, name))
    .map(({ name, ...setting }) => {
      const json = JSON.stringify(setting, ['default', 'range', 'allowed', 'pattern', 'must'], 1);
      return `  "${name}": ${json.replaceAll(/(?<=\[)\n *|\n *(?=\])/g, '').replaceAll(/\n */g, ' ')}`;
    });
  return `{\n${lines.join(',\n')}\n}\n`;
}

if (import.meta.main) {
  writeFileSync(join(PROJECT_DIRECTORY, 'infra/settings.json'), infraSettings());
}
