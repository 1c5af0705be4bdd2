// The README says what the code does: its tables are held against the code, row by row.
import { readFileSync } from 'node:fs';
import { loadCatalogue } from '../functions/endpoints/catalogue.ts';
import { SETTINGS } from '../functions/config.ts';
import { REASONS } from '../functions/core/errors.ts';

const README = readFileSync('README.md', 'utf8');

/** The rows of the first table under a heading, each a list of cells without back-ticks. */
function tableUnder(heading: string, header: string): string[][] {
  const chapter = README.slice(README.indexOf(`\n${heading}\n`));
  const lines = chapter.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|') && line.includes(header));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

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

it.each(loadCatalogue('sql').endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
  'lists the parameters and columns of %s',
  (name, endpoint) => {
    const heading = `### \`${name}\``;
    expect(README).toContain(endpoint.id);
    expect(
      tableUnder(heading, 'parameter').map(([parameter, required]) => [parameter, required]),
    ).toEqual(
      Object.entries(endpoint.parameters).map(([parameter, { required }]) => [
        parameter,
        required ? 'yes' : 'no',
      ]),
    );
    expect(tableUnder(heading, 'column').map(([column]) => column)).toEqual(
      Object.keys(endpoint.row),
    );
  },
);

it('gives a reason for every runtime dependency', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const documented = tableUnder('## Dependencies', 'package').flatMap(([packages]) =>
    (packages ?? '').split(', '),
  );
  expect(documented.sort()).toEqual(Object.keys(dependencies).sort());
});
