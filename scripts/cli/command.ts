// What all commands share: options, help, one line for an error, exit codes.
import { Command, CommanderError } from '@commander-js/extra-typings';

/** What a command knows of the place where it runs; an argument, so that tests run it in process. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  /** Standard output: what was asked for. */
  print: (line: string) => void;
  /** Standard error: progress, notes and faults. */
  note: (line: string) => void;
}

/** A command: its arguments in, its exit code out. It never rejects. */
export type Main = (argv: readonly string[], terminal?: Terminal) => Promise<number>;

/** The command line cannot be understood; nothing has been done. */
const USAGE_ERROR = 2;
const MISSING_VALUE = { code: 'commander.optionMissingArgument' };
/** The same wherever it is written to. */
const HELP_WIDTH = 100;

const processTerminal: Terminal = {
  env: process.env,
  print: (line) => console.log(line),
  note: (line) => console.error(line),
};

/** Commands that the parts of this project declare their options and actions on. */
type Declare = (program: Command, terminal: Terminal) => unknown;

/**
 * Makes a command of its declaration. Exit codes: 0; 1 with `Error: …` on standard error where the
 * action throws; 2 with the same for an option or argument that the command does not have.
 */
export function createMain(usage: string, declare: Declare): Main {
  return async (argv, terminal = processTerminal) => {
    const program = new Command(usage)
      .helpOption('--help', 'show this text')
      .helpCommand(false)
      .exitOverride()
      .configureOutput({
        writeOut: (text) => terminal.print(text.trimEnd()),
        getOutHelpWidth: () => HELP_WIDTH,
        // Faults are written once, below.
        writeErr: () => undefined,
      })
      .hook('preAction', (_, command) => {
        const flag = optionWithoutValue(command as unknown as Command);
        if (flag !== undefined) command.error(`option '${flag}' argument missing`, MISSING_VALUE);
      });
    try {
      declare(program, terminal);
      await program.parseAsync(argv, { from: 'user' });
      return 0;
    } catch (error) {
      if (error instanceof CommanderError) {
        if (error.exitCode === 0) return 0;
        terminal.note(`Error: ${usageFault(error, program)}`);
        return USAGE_ERROR;
      }
      terminal.note(`Error: ${error instanceof Error ? error.message : String(error)}`);
      return 1;
    }
  };
}

/** Runs a command as this process. What still waits for a connection does not hold the process up. */
export async function runMain(main: Main): Promise<never> {
  const code = await main(process.argv.slice(2));
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((resolve) => stream.write('', resolve));
  }
  process.exit(code);
}

/** `--sql --dry-run` is a missing value, and not a directory named --dry-run. */
function optionWithoutValue(command: Command): string | undefined {
  const found = command.options.find((option) => {
    if (!option.required) return false;
    const values = [command.getOptionValue(option.attributeName() as never)].flat() as unknown[];
    return values.some((value) => typeof value === 'string' && value.startsWith('--'));
  });
  return found?.long;
}

/** Commander's fault as one sentence that says what to do. */
function usageFault({ code, message }: CommanderError, program: Command): string {
  // What came in the place of a value may itself be what commander complains of.
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
