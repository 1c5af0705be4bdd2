// Runs the commands of a text file on a `sql/` folder, and compares what they say with the file: each part is a test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Main } from '../../../scripts/cli/command.ts';
import { isLike, patternOf } from '../cases.ts';
import { printedBy, runCommand, wordsOf } from '../command.ts';
import { type FakeSqlTree, parameter, rowOf } from './fake-sql-tree.ts';
import { readExpectations } from './read-expectations.ts';

/** What a command says; `input` are the lines below it. */
export type Command = (
  tree: FakeSqlTree,
  args: string,
  input: string,
  env: Record<string, string>,
) => Promise<string> | string | undefined;

interface Place {
  /** The option that names the folder of saved queries. */
  option?: string;
  /** The saved queries, where they are not the whole folder. */
  folder?: string;
  now?: string;
}

/** A command of this project, on the folder, of which `./` is a path. Words are quoted as in a shell. */
export function ofMain(main: Main, { option = '--sql', folder = '', now }: Place = {}): Command {
  const nowMs = now === undefined ? Date.now : () => Date.parse(now);
  return async ({ directory }, args, _, env) => {
    const words = wordsOf(args).map((word) => word.replace(/^\.\//, `${directory}/`));
    const all = [option, join(directory, folder), ...words];
    return printedBy(await runCommand(main, all, env, nowMs));
  };
}

const EDITS: Record<string, Command> = {
  /** Lines `- ` and `+ `: what is replaced, and by what. A `…` stands for anything. */
  edit(tree, file, input) {
    const changes = [...input.matchAll(/((?:^-.*\n?)+)((?:^\+.*\n?)*)/gm)];
    for (const [, from = '', to = ''] of changes) {
      const [old, text] = [from, to].map((lines) => lines.trimEnd().replaceAll(/^[-+] ?/gm, ''));
      tree.replace(file, patternOf(old ?? ''), (text ?? '').replaceAll('$', '$$$$'));
    }
    return undefined;
  },
  write: (tree, file, input) => void tree.write(file, input),
  remove: (tree, file) => void tree.remove(file),
  show: (tree, file) => tree.read(file),
  /** A table, with the columns in the short form; its table.json is the input. */
  source(tree, args, input) {
    const [, name = '', list = ''] = /^(\S+) (.*)$/.exec(args) ?? [];
    tree.source(name, list, input === '' ? undefined : (JSON.parse(input) as object));
    return undefined;
  },
  /** Fields of the definition; query.sql is the input, and warm.sql what stands below a line `;`. */
  endpoint(tree, args, input) {
    const [query, warm] = input.split(/^;\n/m);
    tree.endpoint(definitionOf(args), query?.trimEnd() || undefined, warm);
    return undefined;
  },
  test: (tree, args) => void tree.test(JSON.parse(args) as object),
};

/** The parts of a definition whose row is in the short form, and whose parameters lack what all have. */
export function definitionOf(json: string): Record<string, unknown> {
  const { row, parameters, ...fields } = JSON.parse(json || '{}') as Record<
    string,
    object | string
  >;
  const complete = Object.entries(parameters ?? {}).map(([name, one]) => [
    name,
    parameter(one as object),
  ]);
  return {
    ...fields,
    ...(parameters === undefined ? {} : { parameters: Object.fromEntries(complete) as object }),
    ...(row === undefined ? {} : { row: typeof row === 'string' ? rowOf(row) : row }),
  };
}

/** As `NAME=value command arguments` in a shell, and the lines below it. */
const STEP = /^((?:[A-Za-z_]+=(?:'[^']*'|\S)* )*)(\w+) ?(.*)\n?([^]*)$/;

type Transcript = [text: string, expected: string][];

/** The parts of the file with their names; each is a test. */
export function transcriptsOf(file: string): [name: string, transcript: Transcript][] {
  const parts = Object.entries(readExpectations(file));
  const read = parts.flatMap(([, steps]) => steps.map(([text]) => text)).join('\n');
  const count = (text: string): number => text.match(/^\$ /gm)?.length ?? 0;
  if (count(read) !== count(readFileSync(file, 'utf8'))) {
    throw new Error(`${file} has commands without what is expected of them.`);
  }
  return parts;
}

/** A text without commands is the input of the command `text`. In what is expected, `…` stands for anything. */
export async function runTranscript(
  transcript: Transcript,
  tree: FakeSqlTree,
  own: Record<string, Command>,
): Promise<void> {
  const commands = { ...EDITS, ...own };
  for (const [text, expected] of transcript) {
    let said = '';
    const typed = text.startsWith('$ ') ? text : `$ text\n${text}`;
    for (const part of typed.split(/^\$ /m).filter((one) => one !== '')) {
      const [, set = '', name = '', args = '', input = ''] = STEP.exec(part) ?? [];
      const env = Object.fromEntries(
        wordsOf(set).map((one) => one.split(/=(.*)/) as [string, string]),
      );
      const command = commands[name];
      if (command === undefined) throw new Error(`No command is called ${name}.`);
      said += (await command(tree, args, input.trimEnd(), env)) ?? '';
    }
    const shown = said.replaceAll(tree.directory, 'sql').trimEnd();
    if (isLike(expected, shown)) continue;
    expect(`${text}\n${shown}`).toBe(`${text}\n${expected}`);
  }
}
