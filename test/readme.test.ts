// The README says what the code does: its tables are held against the code, row by row.
import { readFileSync } from 'node:fs';
import { SETTINGS } from '../functions/config.ts';
import { REASONS } from '../functions/core/errors.ts';
import { tableUnder } from './support/readme-tables.ts';

it('lists every error reason with its code and status', () => {
  const documented = tableUnder('## Errors', 'reason').map(([reason, code, status]) => [
    reason,
    { code: Number(code), status },
  ]);
  expect(Object.fromEntries(documented)).toEqual(REASONS);
});

it('lists every setting with its default and meaning', () => {
  const documented = tableUnder('## Settings', 'variable');
  const settings = Object.values<{
    name: string;
    default: string | undefined;
    description: string;
  }>(SETTINGS).map((setting) => [
    setting.name,
    setting.default === undefined ? 'required' : setting.default || 'none',
    setting.description.replaceAll('`', ''),
  ]);
  expect(documented).toEqual(settings);
});

it('gives a reason for every runtime dependency', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const documented = tableUnder('## Dependencies', 'package').flatMap(([packages]) =>
    (packages ?? '').split(', '),
  );
  expect(documented.sort()).toEqual(Object.keys(dependencies).sort());
});
