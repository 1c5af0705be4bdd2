// What every command of this project does at its edges: usage, one clear line for an error, exit codes.

/** Runs a command; an error becomes one line on stderr and exit code 1. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(`Error: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

/** Prints the usage text and ends the program well. */
export function exitWithUsage(usage: string): never {
  process.stdout.write(usage);
  process.exit(0);
}
