// Writes a section for each npm script that is a command, from the options that the command declares.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Option } from '@commander-js/extra-typings';
import type { Declared } from '../../../scripts/cli/command.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/cli/project.ts';
import { code, table } from './markdown.ts';

/** Links to the sections, and the sections, in the order of package.json. */
export async function commandSections(): Promise<string> {
  const packageJson = readFileSync(join(PROJECT_DIRECTORY, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(packageJson) as { scripts: Record<string, string> };
  const sections: string[] = [];
  const links: string[] = [];
  for (const [name, script] of Object.entries(scripts)) {
    const [, file] = /^(?:exec )?node (\S+\.ts)$/.exec(script) ?? [];
    if (file === undefined) continue;
    const path = join(PROJECT_DIRECTORY, file);
    // Other files run as soon as they are imported.
    if (!readFileSync(path, 'utf8').includes('export const main = createMain(')) continue;
    const { main } = (await import(path)) as { main: Declared };
    const command = `npm ${name === 'start' ? '' : 'run '}${name}`;
    links.push(`[${code(command)}](#${command.replaceAll(' ', '-').replaceAll(':', '')})`);
    sections.push(section(command, main.declared()));
  }
  return [links.join(', '), ...sections].join('\n\n');
}

function section(name: string, program: Command): string {
  const commands = program.commands as unknown as Command[];
  const isShared = ({ flags }: Option): boolean =>
    commands.every(({ options }) => options.some((option) => option.flags === flags));
  const shared = (commands[0] ?? program).options.filter(isShared);
  const own = commands.flatMap((command) => {
    const rows = command.options.filter((option) => !isShared(option));
    const terms = command.registeredArguments.map((argument) => ` <${argument.name()}>`);
    const title = `### ${code(`${name} -- ${command.name()}${terms.join('')}`)}`;
    return [title, command.description(), optionTable(rows)];
  });
  const rows = (commands.length === 0 ? program.registeredArguments : []).map((argument) => [
    code(argument.name()),
    argument.description,
    '',
  ]);
  const title = [`## ${code(name)}`, program.description(), optionTable(shared, rows)];
  return [...title, ...own, textAfter(program)].filter((part) => part !== '').join('\n\n');
}

function optionTable(options: readonly Option[], rows: string[][] = []): string {
  const all = [...rows, ...options.map(optionRow)];
  return all.length === 0 ? '' : table(['option', 'meaning', 'default'], all);
}

function optionRow(option: Option): string[] {
  const { defaultValueDescription, argChoices } = option;
  const defaultValue: unknown = option.defaultValue;
  const [, meaning = '', stated] = /^(.*?)(?: \(default: (.*)\))?$/s.exec(option.description) ?? [];
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  const value = typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue);
  const shown = defaultValue === undefined || defaultValue === false ? '' : code(value);
  const byDefault = defaultValueDescription ?? stated ?? shown;
  // Two of them in a cell would be emphasis.
  return [code(option.flags), (meaning + choices).replaceAll('*', String.raw`\*`), byDefault];
}

/** The text of the help below the options: examples, and the environment. */
function textAfter(program: Command): string {
  const written: string[] = [];
  program.configureOutput({ writeOut: (text) => written.push(text) }).outputHelp();
  const text = written.slice(1).join('').trim();
  return text === '' ? '' : `\`\`\`\n${text}\n\`\`\``;
}
