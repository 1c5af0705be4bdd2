// Builds a package of the GoogleSQL engine whose program is a script of the test.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testDirectory } from '../../../support/temporary-directory.ts';

const INSTALLED = join(process.cwd(), 'node_modules/@fivetrandevelopers/zetasql/lib/zetasql');
const PROGRAMS: Readonly<Record<string, string>> = {
  'linux x64': 'remote_server.so',
  'linux arm64': 'remote_server_arm.so',
  'darwin x64': 'remote_server',
  'darwin arm64': 'remote_server_arm',
};

export type EnginePackage = ReturnType<typeof createEnginePackage>;

export function createEnginePackage() {
  const packageDirectory = testDirectory('engine-');
  const root = join(packageDirectory, 'lib', 'zetasql');
  const program = PROGRAMS[`${process.platform} ${process.arch}`] ?? '';
  const log = join(packageDirectory, 'starts');
  const commands = join(packageDirectory, 'commands.sh');
  mkdirSync(root, { recursive: true });
  symlinkSync(join(INSTALLED, 'protos'), join(root, 'protos'));
  writeFileSync(commands, '');
  writeFileSync(
    join(root, program),
    `#!/bin/sh\necho $$ >> '${log}'\n. '${commands}'\nexec '${join(INSTALLED, program)}' "$@"\n`,
    { mode: 0o755 },
  );
  /** Process ids of the engines that were started, the oldest first. */
  const starts = (): number[] =>
    existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(Number) : [];
  return {
    packageDirectory,
    starts,
    /** Kills the engine that was started last. */
    kill: () => {
      try {
        process.kill(starts().at(-1) ?? NaN, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    },
    /** From now on engines do this before they run: shell commands, such as `exit 1`. */
    before: (text: string) => writeFileSync(commands, text),
  };
}
