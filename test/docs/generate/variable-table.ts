// The table of Terraform's variables, from infra/variables.tf, with the defaults of infra/defaults.json.
import { readFileSync } from 'node:fs';
import { parse } from '@cdktn/hcl2json';
import defaults from '../../../infra/defaults.json' with { type: 'json' };
import { projectPath } from '../../../scripts/cli/project.ts';
import { code, table } from './markdown.ts';

const FILE = 'infra/variables.tf';

export async function variableTable(): Promise<string> {
  const source = readFileSync(projectPath(FILE), 'utf8');
  const { variable } = (await parse(FILE, source)) as {
    variable: Record<string, [{ description: string; type: string; default?: unknown }]>;
  };
  const rows = Object.entries(variable).map(([name, [{ description, type, ...stated }]]) => {
    const value =
      stated.default === null ? (defaults as Record<string, unknown>)[name] : stated.default;
    const isEmpty = value === undefined || ['[]', '{}'].includes(JSON.stringify(value));
    return [
      code(name),
      // variables.tf checks the fields of `any` itself.
      code(type.replaceAll(/^\$\{|\}$/g, '').replace('any', 'map(object)')),
      !('default' in stated)
        ? 'required'
        : isEmpty
          ? 'none'
          : code(`${value as string | number | boolean}`),
      description.trim().replaceAll(/\s+/g, ' '),
    ];
  });
  return table(['variable', 'type', 'default', 'meaning'], rows);
}
