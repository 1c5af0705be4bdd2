// A deployment as one shell script, which is run or printed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { shellQuote } from '../../functions/console/shell-quote.ts';
import { ExitCode, type Terminal } from '../cli/command.ts';
import { PROJECT_DIRECTORY } from '../cli/project.ts';
import { requireSqlDirectory } from '../cli/options.ts';
import { runProgram } from '../cli/run-program.ts';

/** A program and its arguments. `$WARM_URL` in an argument is a value that an earlier step captured. */
export type Argv = readonly string[];

export interface Step {
  /** Why the step is needed; a comment in the script, which it also prints. */
  reason: string;
  run: Argv;
  /** If this succeeds, `run` is not needed, and `update`, if any, runs instead. */
  exists?: Argv;
  update?: Argv;
  /** Captures the output of the command under this name. */
  capture?: 'QUERY_IMAGE' | 'QUERY_URL' | 'REQUESTS_WRITER' | 'WARM_REVISION' | 'WARM_URL';
  /** The command lists resources that it would replace although others created them: this explains how to continue. */
  keeps?: string;
  /** Undoes `run` or `update`, in words as a shell reads them; printed if this step or a later one fails, unless a value in it is empty. */
  undo?: Argv;
}

/** Any other `$` in an argument is literal text. */
const CAPTURED = /\$(QUERY_IMAGE|QUERY_URL|REQUESTS_WRITER|WARM_REVISION|WARM_URL)\b/;
const HEAD = readFileSync(join(import.meta.dirname, 'script-head.sh'), 'utf8');

/** The text of a script that takes these steps. */
export function scriptOf(steps: readonly Step[]): string {
  return [
    HEAD,
    ...steps.map((step) => `echo ${shellQuote(`# ${step.reason}`)}\n${shellOf(step)}\n`),
  ].join('\n');
}

function shellOf({ run, exists, update, capture, keeps, undo = [] }: Step): string {
  const captured = undo.flatMap((text) => CAPTURED.exec(text)?.[1] ?? []);
  const unlessEmpty = captured.map((name) => `[ -z "$${name}" ] || `).join('');
  const undone = undo.length === 0 ? [] : [`${unlessEmpty}UNDO=${quote(undo.join(' '))}`];
  if (keeps !== undefined) {
    return `FOUND="$(${inShell(run)})"\n[ -z "$FOUND" ] || refuse "$FOUND" ${shellQuote(keeps)}`;
  }
  if (capture !== undefined) return `${capture}="$(${inShell(run)})"`;
  if (exists === undefined) return [...undone, lines(run, '')].join('\n');
  const test = `(${inShell(exists)}) >/dev/null 2>&1`;
  if (update === undefined) return `${test} ||\n  ${lines(run, '  ')}`;
  const updated = [...undone, lines(update, '  ')].map((line) => `  ${line}`);
  return [`if ${test}; then`, ...updated, 'else', `  ${lines(run, '  ')}`, 'fi'].join('\n');
}

/** One option per line if there are several. */
function lines(argv: Argv, indent: string): string {
  const line = inShell(argv);
  if (line.length + indent.length <= 100) return line;
  const words = called(argv).map(quote);
  const option = words.findIndex((text) => text.startsWith('--'));
  const head = words.splice(0, Math.max(1, option)).join(' ');
  return [head, ...words].join(` \\\n${indent}  `);
}

/** With the function of the script that calls the program. */
function called([program = '', ...args]: Argv): Argv {
  if (program === 'echo') return [program, ...args];
  return [['gcloud', 'bq'].includes(program) ? 'repeated' : 'run', program, ...args];
}
const inShell = (argv: Argv): string => commandLine(called(argv));

export const commandLine = (argv: Argv): string => argv.map(quote).join(' ');

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
        return [name, /^(?:capture|keeps)$/.test(name) ? content : argv(content)] as const;
      });
      const { run = [], ...others } = Object.fromEntries(fields) as Partial<Step>;
      return { reason: filled(reason.slice(2)), run, ...others };
    });
  };
}

/** Runs the script; its exit code is that of the command. A signal ends it after the command that it runs. */
export async function runScript(
  script: string,
  env: Terminal['env'],
  output: 'inherit' | 'stderr' = 'inherit',
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'saved-queries-script-'));
  try {
    const file = join(folder, 'deploy');
    writeFileSync(file, script);
    const place = { directory: PROJECT_DIRECTORY, env, output, passesSignals: true };
    const { code, isDone, isMissing } = await runProgram(['bash', file], place);
    if (isMissing) throw new Error('bash is not installed.');
    if (!isDone) throw new ExitCode(code ?? 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** With `isDryRun` only the checks run, their output on standard error, and the script is printed. */
export async function deployChecked(
  sqlDirectory: string,
  stepsOf: (sqlFromTop: string) => readonly Step[],
  { env, print }: Terminal,
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
  const script = scriptOf([...checks, bundle, ...stepsOf(sql)]);
  await runScript(isDryRun ? scriptOf(checks) : script, env, isDryRun ? 'stderr' : 'inherit');
  if (isDryRun) print(script);
}
