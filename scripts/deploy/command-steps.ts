// Runs the steps of a deployment in order, or prints them as a shell script.
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { shellQuote } from '../../functions/console/shell-quote.ts';
import { ExitCode, type Terminal } from '../cli/command.ts';
import { PROJECT_DIRECTORY } from '../cli/project.ts';
import { requireSqlDirectory } from '../cli/options.ts';
import { isRepeated, repeatedInShell, runRepeated } from './run-repeated.ts';

/** A program and its arguments. `$WARM_URL` in an argument is a value that an earlier step captured. */
export type Argv = readonly string[];

export interface Step {
  /** Why the step is needed; a comment in the script. */
  reason: string;
  run: Argv;
  /** If this succeeds, `run` is not needed, and `update`, if any, runs instead. */
  exists?: Argv;
  update?: Argv;
  /** Captures the output of the command under this name. */
  capture?: 'QUERY_IMAGE' | 'QUERY_URL' | 'REQUESTS_WRITER' | 'WARM_REVISION' | 'WARM_URL';
  /** The command lists resources that it would replace although others created them: this explains how to continue. */
  keeps?: string;
  /** `run` may end with this exit code, and the command then does. */
  passesOn?: string;
  /** Undoes `run` or `update`, in words as a shell reads them; printed if this step or a later one fails, unless a value in it is empty. */
  undo?: Argv;
}

const UNDO = 'To roll back: ';
/** Any other `$` in an argument is literal text. */
const CAPTURED = /\$(QUERY_IMAGE|QUERY_URL|REQUESTS_WRITER|WARM_REVISION|WARM_URL)\b/;

interface StepPlace {
  directory: string;
  env: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
  /** Where the output of the commands goes. */
  output?: 'inherit' | 'stderr';
}

/** Throws an error that names the command if a step fails; its output is printed before. */
export async function runSteps(steps: readonly Step[], place: StepPlace): Promise<void> {
  const { print, directory, env } = place;
  const captured: Record<string, string> = {};
  const undos: Argv[] = [];
  const filled = (argv: Argv): string[] =>
    argv.map((text) =>
      text.replaceAll(new RegExp(CAPTURED, 'g'), (all, name: string) => captured[name] ?? all),
    );
  const failure = (message: string): Error =>
    new Error([message, ...undos.map((undo) => `${UNDO}${filled(undo).join(' ')}`)].join('\n'));
  for (const { reason, run, exists, update, capture, keeps, undo, passesOn } of steps) {
    print(`\n# ${reason}`);
    const isThere =
      exists !== undefined &&
      (await runRepeated(filled(exists), { directory, env, output: 'ignore' }, print)).isDone;
    const isUndone =
      exists === undefined ? namesIn(undo ?? []).every((name) => captured[name]) : isThere;
    if (undo !== undefined && isUndone) undos.push(undo);
    const argv = isThere ? update : run;
    if (argv === undefined) {
      print('already exists');
      continue;
    }
    print(`$ ${commandLine(filled(argv))}`);
    const isRead = capture !== undefined || keeps !== undefined;
    const how = { directory, env, output: isRead ? 'pipe' : (place.output ?? 'inherit') } as const;
    const { code, isDone, isMissing, stdout } = await runRepeated(filled(argv), how, print);
    if (passesOn !== undefined && code === Number(passesOn)) throw new ExitCode(code);
    if (isMissing) throw failure(`${argv[0]} is not installed.`);
    if (!isDone) throw failure(`Command failed: ${commandLine(argv)}`);
    const listed = stdout.trim().replaceAll('\n', ', ');
    if (capture !== undefined) captured[capture] = listed;
    if (keeps === undefined || listed === '') continue;
    throw new Error(`Not created by this deployment: ${listed}. ${keeps}`);
  }
}

function shellOf({ run, exists, update, capture, keeps, undo = [] }: Step): string {
  const unlessEmpty = namesIn(undo).map((name) => `[ -z "$${name}" ] || `);
  const trap = `${unlessEmpty.join('')}trap ${shellQuote(`echo "${UNDO}"${commandLine(undo)} >&2`)} ERR`;
  const traps = undo.length === 0 ? [] : [trap];
  if (keeps !== undefined) {
    const refuse = `{ echo "Error: Not created by this deployment: $FOUND. "${quote(keeps)} >&2; exit 1; }`;
    return `FOUND="$(${shellLine(run)})"\n[ -z "$FOUND" ] || ${refuse}`;
  }
  if (capture !== undefined) return `${capture}="$(${shellLine(run)})"`;
  if (exists === undefined) return [...traps, lines(run, '')].join('\n');
  const test = `${shellLine(exists)} >/dev/null 2>&1`;
  if (update === undefined) return `${test} || \\\n  ${lines(run, '  ')}`;
  return [
    `if ${test}; then`,
    ...[...traps, lines(update, '  ')].map((line) => `  ${line}`),
    'else',
    `  ${lines(run, '  ')}`,
    'fi',
  ].join('\n');
}

/** What earlier steps captured. */
const namesIn = (argv: Argv): string[] => argv.flatMap((text) => CAPTURED.exec(text)?.[1] ?? []);

/** One option per line if there are several. */
function lines(argv: Argv, indent: string): string {
  const line = shellLine(argv);
  if (line.length + indent.length <= 100) return line;
  const quoted = inShell(argv).map(quote);
  const option = quoted.findIndex((text) => text.startsWith('--'));
  const head = quoted.splice(0, Math.max(1, option)).join(' ');
  return [head, ...quoted].join(` \\\n${indent}  `);
}

export const commandLine = (argv: Argv): string => argv.map(quote).join(' ');

const inShell = (argv: Argv): Argv => (isRepeated(argv) ? ['repeated', ...argv] : argv);
const shellLine = (argv: Argv): string => commandLine(inShell(argv));

/** The shell expands captured values, and nothing else: a table.json or an option may contain `$(…)`. */
function quote(text: string): string {
  if (text === '') return "''";
  const quoted = text.split(CAPTURED).map((part, index) => {
    if (index % 2 === 1) return `"$${part}"`;
    return /^[\w@%+=:,./-]*$/.test(part) ? part : shellQuote(part);
  });
  return quoted.join('');
}

/**
 * Reads a file of steps. A section begins with `[its name]`, a step with `# its reason`, and fields may go on in indented
 * lines. `{name}` stands for a value; alone, it is several arguments if the value is a list.
 */
export function readSteps(file: string) {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  const sections = text.split(/^\[/m).map((part) => part.split(']\n', 2));
  return (section: string, values: Readonly<Record<string, unknown>>): Step[] => {
    const [, found = ''] = sections.find(([name]) => name === section) ?? [];
    const filled = (part: string): string =>
      part.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
    const argv = (line: string): Argv =>
      (line.match(/'[^']*'|\S+/g) ?? []).flatMap((argument) => {
        const list = values[/^\{(\w+)\}$/.exec(argument)?.[1] ?? ''];
        return Array.isArray(list) ? (list as string[]) : filled(argument.replaceAll("'", ''));
      });
    const steps = found.trimEnd().split('\n\n');
    return steps.map((step) => {
      const [reason = '', ...lines] = step.split(/\n(?=\S)/);
      const fields = lines.map((line) => {
        const [, name = '', content = ''] = /^(\w+): ([^]*)$/.exec(line) ?? [];
        return [name, /^(?:capture|keeps|passesOn)$/.test(name) ? content : argv(content)] as const;
      });
      const { run = [], ...others } = Object.fromEntries(fields) as Partial<Step>;
      return { reason: filled(reason.slice(2)), run, ...others };
    });
  };
}

/** With `isDryRun` only the checks run, their output on standard error, and all steps are printed as a shell script. */
export async function deployChecked(
  sqlDirectory: string,
  stepsOf: (sqlFromTop: string) => readonly Step[],
  { env, print, note }: Terminal,
  isDryRun = false,
): Promise<void> {
  const sql = relative(PROJECT_DIRECTORY, resolve(requireSqlDirectory(sqlDirectory)));
  const npmRun = (script: string): string[] => [
    ...['npm', 'run', script],
    ...(sql === 'sql' ? [] : ['--', '--sql', sql]),
  ];
  const checks: Step[] = [
    { reason: 'Check every saved query.', run: npmRun('check') },
    { reason: 'Check the types.', run: ['npm', 'run', 'types'] },
  ];
  const bundle = { reason: 'Build the bundle in dist/.', run: npmRun('bundle') };
  const steps = [...checks, bundle, ...stepsOf(sql)];
  const place = { directory: PROJECT_DIRECTORY, env, print };
  if (!isDryRun) return runSteps(steps, place);
  await runSteps(checks, { ...place, print: note, output: 'stderr' });
  const script = steps.map((step) => `# ${step.reason}\n${shellOf(step)}`).join('\n\n');
  const top = steps.some(({ run }) => isRepeated(run)) ? [repeatedInShell()] : [];
  print(['#!/usr/bin/env bash\nset -euo pipefail\n', ...top, script].join('\n'));
}
