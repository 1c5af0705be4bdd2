// The common parts of all commands: options, help, paths, one-line errors, exit codes.
import { basename } from 'node:path';
import { Command, CommanderError } from '@commander-js/extra-typings';
import { errorMessage } from '../../functions/core/errors.ts';
import { cannotWrite } from './write-file.ts';

/** Ctrl-C, `kill`, and the end of the terminal. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The environment of a command; an argument, so that tests can run commands in process. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
  /** Prints progress, notes and errors on standard error. */
  note: (line: string) => void;
  /** Reports slow steps. */
  progress?: ((line: string) => void) | undefined;
  /** Whether standard error is one. */
  isTerminal?: boolean;
  nowMs: () => number;
}

/** Something that the command line must name is missing; exit code 2. */
export class UsageError extends Error {}

/** Ends the command with an exit code of its own, which is no fault. */
export class ExitCode extends Error {
  readonly code: number;
  constructor(code: number) {
    super();
    this.code = code;
  }
}

/** A command: takes its arguments, resolves to its exit code, never rejects. */
export type Main = (argv: readonly string[], terminal?: Terminal) => Promise<number>;

export interface Declared {
  /** The options of a command as it declares them in an empty environment, for its documentation. */
  declared: () => Command;
}

/** The command line is invalid; nothing was done. */
const USAGE_ERROR = 2;
const MISSING_VALUE = { code: 'commander.optionMissingArgument' };
/** A shell's exit code for a command whose output pipe was closed. */
const ENDED_BY_SIGPIPE = 141;
/** Ctrl-C and `kill`, with a shell's exit codes for them. Not SIGHUP, which nohup ignores. */
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
  progress: (line) => console.error(line),
  isTerminal: process.stderr.isTTY,
  nowMs: () => Date.now(),
};

/**
 * Creates a command from its declaration. Exit codes: 0; 1 with `Error: …` on standard error if the action
 * throws; 2 with the same for an option or argument that the command does not have.
 */
export function createMain(
  usage: string,
  declare: (program: Command, terminal: Terminal) => unknown,
): Main & Declared {
  const run = async (argv: readonly string[], given = processTerminal): Promise<number> => {
    const terminal: Terminal = {
      ...given,
      print: (line) => given.print(withoutControls(line)),
      note: (line) => given.note(withoutControls(line)),
    };
    const program = new Command(usage)
      .helpOption('--help', 'show this help')
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
        const empty = command.args.indexOf('');
        if (empty !== -1) command.error(`argument ${empty + 1} is empty`);
      });
    try {
      declare(program, terminal);
      for (const command of [program, ...(program.commands as unknown as Command[])]) {
        refuseTwice(command);
      }
      const taken = optionTakenByNpm(program, argv, terminal.env);
      if (taken !== undefined) {
        throw new UsageError(
          `npm consumed ${taken}. Write -- before it: ${usage.replace(/ --$/, '')} -- ${taken}`,
        );
      }
      await program.parseAsync(argv, { from: 'user' });
      return 0;
    } catch (error) {
      if (error instanceof ExitCode) return error.code;
      if (error instanceof CommanderError) {
        if (error.exitCode === 0) return 0;
        terminal.note(`Error: ${usageFault(error, program)}`);
        return USAGE_ERROR;
      }
      terminal.note(`Error: ${errorMessage(error)}`);
      return error instanceof UsageError ? USAGE_ERROR : 1;
    }
  };
  return Object.assign(run, {
    declared(): Command {
      const program = new Command(usage);
      declare(program, { ...processTerminal, env: {} });
      return program;
    },
  });
}

/** Escapes control characters as in JSON (`\u001b`): names and texts of authors could clear the terminal or forge lines. */
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
  // Without a listener a signal could interrupt a write, without any clean-up.
  for (const [signal, code] of EXIT_CODES) {
    process.on(signal, () => {
      // A command with its own listener ends itself.
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
  const [, file = '', ...args] = process.argv;
  const { npm_lifecycle_event: script, INIT_CWD: directory } = process.env;
  // npm starts scripts at the top, but paths are relative to where the user called it. Other scripts run commands too.
  const isOfNpm = script?.replace(':', '-') === basename(file, '.ts');
  if (isOfNpm && directory !== undefined) process.chdir(directory);
  const code = await main(args);
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((resolve) => stream.write('', resolve));
  }
  process.exit(code);
}

/** Options that npm has too and that users keep in their npmrc: finding these proves nothing. */
const OPTIONS_OF_NPM = ['--all', '--force', '--location', '--json', '--only'];

/** npm reads --sql as its options -s, -q and -l: only the last one shows. */
const NAMES_AT_NPM: Readonly<Record<string, string>> = { '--sql': 'long' };

/**
 * Finds an option that was written without `--` before it, as in `npm run deploy:gcloud --dry-run`: npm keeps it
 * and reports it only in the environment. Without this check such a command would deploy.
 */
function optionTakenByNpm(program: Command, argv: readonly string[], env: Terminal['env']) {
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

/** Treats `--sql --dry-run` as a missing value, not as a directory named --dry-run, and so `--sql ""`, an empty variable of a shell. */
function optionWithoutValue(command: Command): string | undefined {
  const found = command.options.find((option) => {
    const name = option.attributeName() as never;
    if (!option.required || command.getOptionValueSource(name) !== 'cli') return false;
    const values = [command.getOptionValue(name)].flat() as unknown[];
    return values.some(
      (value) => value === '' || (typeof value === 'string' && value.startsWith('--')),
    );
  });
  return found?.long;
}

/** Commander takes the last value of an option, so that `--project a --project b` would act on b without a word. */
function refuseTwice(command: Command): void {
  for (const option of command.options) {
    if (!option.required || option.variadic || Array.isArray(option.defaultValue)) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`option '${option.flags}' is given twice`);
      isGiven = true;
    });
  }
}

/** Commander's message in one line; `help` is its error for a missing command. */
function usageFault({ code, message }: CommanderError, { commands }: Command): string {
  const names = commands.map((one) => one.name()).join(', ');
  const fault = code === 'commander.help' ? `use one of ${names}` : message.replace('error: ', '');
  return `${fault.replace(/\.$/, '').replaceAll('\n', ' ')}. See --help.`;
}
