// Gives commands the texts of their help, from scripts/help.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';

const FOLDER = join(import.meta.dirname, '../help');

/**
 * The paragraphs of `NAME.txt` are the description of the command, its arguments and options, and what follows them in its
 * help. A part that begins with `# create` is that of a subcommand; all subcommands may have options of the first part.
 * `{name}` stands for one of `values`. Throws for an option that is nowhere.
 */
export function addHelp(
  program: CommandUnknownOpts,
  name: string,
  values: Readonly<Record<string, string>> = {},
): void {
  const text = readFileSync(join(FOLDER, `${name}.txt`), 'utf8');
  const filled = text.replaceAll(/\{(\w+)\}/g, (all, key: string) => values[key] ?? all);
  const [own = '', ...others] = filled.split(/^# /m);
  const shared = describe(program, own, new Map());
  for (const part of others) {
    const command = program.commands.find((one) => part.startsWith(`${one.name()}\n`));
    if (command) describe(command, part.slice(command.name().length), shared);
  }
}

function describe(command: CommandUnknownOpts, text: string, shared: ReadonlyMap<string, string>) {
  const [description = '', ...others] = text.trim().split('\n\n');
  const isList = /^\S+(?: <\S+)? {2,}\S/.test(others[0] ?? '');
  const lines = isList ? (others.shift() ?? '').split('\n') : [];
  const own = lines.map((line) => line.split(/ {2,}/, 2) as [string, string]);
  const texts = new Map([...shared, ...own]);
  command.description(description);
  for (const argument of command.registeredArguments) {
    argument.description ||= texts.get(argument.name()) ?? '';
  }
  for (const option of command.options) {
    option.description = texts.get(option.flags) ?? option.description;
    if (option.description === '') throw new Error(`${option.flags} has no text in scripts/help.`);
  }
  if (others.length > 0) command.addHelpText('after', `\n${others.join('\n\n')}`);
  return texts;
}
