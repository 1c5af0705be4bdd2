// Builds a package of the GoogleSQL engine whose program is a script of the test.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testDirectory } from '../temporary-directory.ts';

const INSTALLED = join(process.cwd(), 'node_modules/@fivetrandevelopers/zetasql/lib/zetasql');
const PROGRAMS: Readonly<Record<string, string>> = {
  'linux x64': 'remote_server.so',
  'linux arm64': 'remote_server_arm.so',
  'darwin x64': 'remote_server',
  'darwin arm64': 'remote_server_arm',
};

export interface EnginePackage {
  packageDirectory: string;
  /** Process ids of the engines that were started, the oldest first. */
  starts(): number[];
  /** Kills the engine that was started last. */
  kill(): void;
  /** From now on engines do this before they run: shell commands, such as `exit 1`. */
  before(commands: string): void;
}

export function createEnginePackage(): EnginePackage {
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
  const starts = () =>
    existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(Number) : [];
  return {
    packageDirectory,
    starts,
    kill: () => {
      try {
        process.kill(starts().at(-1) ?? NaN, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    },
    before: (text) => writeFileSync(commands, text),
  };
}
