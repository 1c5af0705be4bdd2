// What all commands share: options, help, paths, one line for an error, exit codes.
import { createInterface } from 'node:readline/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { Command, CommanderError } from '@commander-js/extra-typings';
import { errorMessage } from '../../functions/core/describe-error.ts';
import { cannotWrite } from './write-file.ts';

/** Ctrl-C, `kill`, and the end of the terminal. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The environment of a command; an argument, so that tests can run commands in process. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
  /** Prints progress, notes and errors on standard error. */
  note: (line: string) => void;
  /** Says what takes long; absent where nobody watches, because standard error is no terminal. */
  progress?: ((line: string) => void) | undefined;
  nowMs: () => number;
  /** Asks for a line of text; undefined where nobody can answer, because this is no terminal. */
  ask?: typeof askInTerminal | undefined;
}

/** A terminal, and what npm says of the call. */
export interface Caller extends Terminal {
  /** A path as the user gave it, relative to this process's directory: npm starts commands at the top. */
  path: (given: string) => string;
}

/** Something that the command line must name is missing; exit code 2. */
export class UsageError extends Error {}

/** A command: takes its arguments, resolves to its exit code, never rejects. */
export type Main = (argv: readonly string[], terminal?: Terminal) => Promise<number>;

/** The command line is invalid; nothing was done. */
const USAGE_ERROR = 2;
const MISSING_VALUE = { code: 'commander.optionMissingArgument' };
/** What a shell reports for a command whose reader has gone. */
const ENDED_BY_SIGPIPE = 141;
/** Ctrl-C and `kill`, with what a shell reports for them. Not SIGHUP, which nohup has set to be ignored. */
const EXIT_CODES = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;
/** The same width for terminals and files. */
const HELP_WIDTH = 100;

const processTerminal: Terminal = {
  env: process.env,
  print: (line) => console.log(line),
  note: (line) => console.error(line),
  progress: process.stderr.isTTY ? (line) => console.error(line) : undefined,
  nowMs: () => Date.now(),
  ask: process.stdin.isTTY && process.stdout.isTTY ? askInTerminal : undefined,
};

/** Exit codes: 0; 1 with `Error: …` on standard error if the action throws; 2 with the same for a wrong option or argument. */
export function createMain(
  usage: string,
  declare: (program: Command, caller: Caller) => unknown,
): Main {
  return async (argv, given = processTerminal) => {
    const terminal: Terminal = {
      ...given,
      print: (line) => given.print(withoutControls(line)),
      note: (line) => given.note(withoutControls(line)),
    };
    const program = new Command(usage)
      .helpOption('--help', 'show this text')
      .helpCommand(false)
      .exitOverride()
      .configureOutput({
        writeOut: (text) => terminal.print(text.trimEnd()),
        getOutHelpWidth: () => HELP_WIDTH,
        // Errors are printed below, only once.
        writeErr: () => undefined,
      })
      .hook('preAction', (_, command) => {
        const flag = optionWithoutValue(command as unknown as Command);
        if (flag !== undefined) command.error(`option '${flag}' argument missing`, MISSING_VALUE);
      });
    try {
      declare(program, { ...terminal, path: pathOfCaller(usage, terminal.env) });
      const taken = optionTakenByNpm(program, argv, terminal.env);
      if (taken !== undefined) {
        throw new UsageError(
          `npm took ${taken} for itself. Write -- before it: ${usage.replace(/ --$/, '')} -- ${taken}`,
        );
      }
      await program.parseAsync(argv, { from: 'user' });
      return 0;
    } catch (error) {
      if (error instanceof CommanderError) {
        if (error.exitCode === 0) return 0;
        terminal.note(`Error: ${usageFault(error, program)}`);
        return USAGE_ERROR;
      }
      terminal.note(`Error: ${errorMessage(error)}`);
      return error instanceof UsageError ? USAGE_ERROR : 1;
    }
  };
}

/** Names and texts of authors may hold codes that clear the terminal or forge its lines: printed as JSON has them, `\u001b`. */
function withoutControls(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Runs a command as this process. Open connections do not keep the process running. */
export async function runMain(main: Main): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader of a pipe, such as "| head", has seen enough.
      if (error.code === 'EPIPE') process.exit(ENDED_BY_SIGPIPE);
      if (stream === process.stdout)
        console.error(`Error: ${cannotWrite('The output', error).message}`);
      process.exit(1);
    });
  }
  // Without a listener a signal could come in the middle of a write, and nothing would be cleaned up.
  for (const [signal, code] of EXIT_CODES) {
    process.on(signal, () => {
      // A command that listens itself ends by itself.
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
  const code = await main(process.argv.slice(2));
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((resolve) => stream.write('', resolve));
  }
  process.exit(code);
}

/** Options that npm has too and that users keep in their npmrc: finding these proves nothing. */
const OPTIONS_OF_NPM = ['--force', '--location', '--json', '--only'];

/** npm reads --sql as its options -s, -q and -l: only the last one shows. */
const NAMES_AT_NPM: Readonly<Record<string, string>> = { '--sql': 'long' };

/**
 * Finds an option that was written without `--` before it, as in `npm run deploy:gcloud --dry-run`: npm keeps it
 * and tells it in the environment alone. Without this check such a command would deploy.
 */
function optionTakenByNpm(
  program: Command,
  argv: readonly string[],
  env: Terminal['env'],
): string | undefined {
  if (env.npm_lifecycle_event === undefined) return undefined;
  return [program, ...(program.commands as unknown as Command[])]
    .flatMap(({ options }) => options)
    .map(({ long }) => long)
    .find((long): long is string => {
      if (!long || OPTIONS_OF_NPM.includes(long)) return false;
      if (argv.some((argument) => argument === long || argument.startsWith(`${long}=`)))
        return false;
      const name = NAMES_AT_NPM[long] ?? long.slice(2).replaceAll('-', '_');
      return env[`npm_config_${name}`] !== undefined;
    });
}

/** Treats `--sql --dry-run` as a missing value, not as a directory named --dry-run. */
function optionWithoutValue(command: Command): string | undefined {
  const found = command.options.find((option) => {
    if (!option.required) return false;
    const values = [command.getOptionValue(option.attributeName() as never)].flat() as unknown[];
    return values.some((value) => typeof value === 'string' && value.startsWith('--'));
  });
  return found?.long;
}

/** Turns an error of Commander into one sentence that says what to do. */
function usageFault({ code, message }: CommanderError, program: Command): string {
  // The argument in the place of a value may be the one that Commander rejects.
  for (const command of [program, ...(program.commands as unknown as Command[])]) {
    const flag = optionWithoutValue(command);
    if (flag !== undefined) return `${flag} needs a value.`;
  }
  const [, quoted = ''] = /'([^']*)'/.exec(message) ?? [];
  const [, similar] = /Did you mean ([^?]*)\?/.exec(message) ?? [];
  const hint = similar === undefined ? '--help lists them.' : `Did you mean ${similar}?`;
  const command = program.commands.find(({ args }) => args.length > 0) ?? program;
  const names = program.commands.map((one) => one.name()).join(', ');
  switch (code) {
    case 'commander.unknownOption':
      return `There is no option ${quoted.replace(/=.*/s, '')}. ${hint}`;
    case 'commander.optionMissingArgument':
      return `${quoted.split(' ')[0]} needs a value.`;
    case 'commander.missingMandatoryOptionValue':
      return `${quoted.split(' ')[0]} is missing. --help tells more.`;
    case 'commander.missingArgument':
      return `Missing argument: ${quoted.toUpperCase()}. --help tells more.`;
    case 'commander.excessArguments':
      return `Unexpected argument: ${command.args[command.registeredArguments.length]}.`;
    case 'commander.invalidArgument':
      return message.replace(
        /^.*'(--[^ ']+).*' argument '(.*)' is invalid\./s,
        '$1 cannot be "$2".',
      );
    case 'commander.unknownCommand':
      return `There is no command ${quoted}. Say one of ${names}.`;
    case 'commander.help':
      return `Say one of ${names}. --help tells more.`;
    default:
      return message.replace(/^error: /, '');
  }
}

/** Resolves to the answer without blanks around it. Rejects when the signal, Ctrl-C or Ctrl-D ends the question. */
async function askInTerminal(question: string, signal?: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new AbortController();
  const end = (): void => ended.abort(new Error('No answer; nothing was made.'));
  // Without a listener Ctrl-C would only close the interface.
  terminal.once('SIGINT', end).once('close', end);
  signal?.addEventListener('abort', end);
  try {
    const answer = await terminal.question(`${question} `, { signal: ended.signal });
    return answer.trim();
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', end);
    terminal.off('close', end).close();
  }
}

/**
 * For a command, such as `npm run check --`: turns a path that is relative to the directory where the user called npm
 * into one that is relative to this process's. A command that npm did not start has only the one directory.
 */
export function pathOfCaller(
  usage: string,
  {
    npm_lifecycle_event: script,
    INIT_CWD: directory,
  }: Readonly<Record<string, string | undefined>>,
): (given: string) => string {
  const [, name] = /^npm (?:run )?(\S+)/.exec(usage) ?? [];
  const here = process.cwd();
  // Other scripts of npm, such as the tests, run commands too.
  if (script !== name || directory === undefined || directory === here) return (given) => given;
  // An option in the place of a path stays one, so that it is refused.
  return (given) =>
    given.startsWith('--') || isAbsolute(given)
      ? given
      : relative(here, resolve(directory, given)) || '.';
}
