// The table of settings: functions/config.ts, and the values that a deployment sets.
import { SETTINGS, type Setting } from '../../functions/config.ts';
import { LOCAL_SETTINGS } from '../cli/project.ts';
import { DEPLOYED_BY } from '../deploy/defaults.ts';
import { docstringsOf } from './docstrings.ts';
import { code, table } from './markdown.ts';

export function settingTable(): string {
  const settings = Object.entries<Setting<unknown>>(SETTINGS);
  const meanings: Record<string, string> = docstringsOf(
    'functions/config.ts',
    settings.map(([key]) => key),
  );
  return table(
    ['variable', 'default', 'values', 'in a deployment', 'meaning'],
    settings.map(([key, setting]) => [
      code(setting.name),
      setting.default === undefined ? 'required' : code(setting.default) || 'none',
      valuesOf(setting),
      deployedBy(setting.name),
      meanings[key] ?? '',
    ]),
  );
}

function valuesOf({ range, allowed }: Setting<unknown>): string {
  if (range !== undefined) return `${range[0]} to ${range[1]}`;
  return allowed === undefined ? 'text' : allowed.map(code).join(', ');
}

function deployedBy(name: string): string {
  if (LOCAL_SETTINGS.includes(name)) return 'local only';
  const by = DEPLOYED_BY[name];
  if (by === undefined) return code('settings');
  return by.default === undefined ? code(by.variable) : `${code(by.variable)}: ${code(by.default)}`;
}
