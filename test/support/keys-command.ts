// Runs `npm run keys` on a Firestore project of its own, and reads what it has stored.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFirestore } from '../../functions/google/firestore-client.ts';
import { main } from '../../scripts/keys.ts';
import { createKeyRegister } from '../../scripts/keys/key-register.ts';
import { type CommandResult, runCommand } from './command.ts';
import { TEST_SQL } from './sql/test-sql.ts';
import { testDirectory } from './temporary-directory.ts';
import { undo } from './undo.ts';

const HOST = process.env.FIRESTORE_EMULATOR_HOST ?? '';

/** For a test, with which it ends. */
export function createKeysCommand() {
  const project = `test-${randomUUID()}`;
  const database = 'saved-queries-keys';
  const firestore = createFirestore({ project, database, emulatorHost: HOST });
  undo(() => firestore.terminate());
  const directory = testDirectory('keys-');
  const store = createKeyRegister(firestore);
  const env = (host = HOST) => ({ GOOGLE_CLOUD_PROJECT: project, FIRESTORE_EMULATOR_HOST: host });
  /** The command, on the endpoints of the tests where it asks for some. */
  const ofTestSql = (args: string[]): string[] =>
    args[0] === 'create' ? ['create', '--sql', TEST_SQL, ...args.slice(1)] : args;
  return {
    firestore,
    store,
    env,
    ofTestSql,
    run: (...args: string[]): Promise<CommandResult> => runCommand(main, ofTestSql(args), env()),
    runAt: (host: string, ...args: string[]): Promise<CommandResult> =>
      runCommand(main, ofTestSql(args), env(host)),
    path: (name: string): string => join(directory, name),
    /** The path of a new file with this content. */
    file: (name: string, content: string | Uint8Array): string => {
      writeFileSync(join(directory, name), content);
      return join(directory, name);
    },
    /** The stored keys, in the order of their names. */
    stored: async () => {
      const keys = [...(await store.list()).values()].flatMap(({ key }) => key ?? []);
      return keys.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    /** The database is lost. */
    lose: async () => {
      const { docs } = await firestore.collection('apiKeys').get();
      await Promise.all(docs.map(({ ref }) => ref.delete()));
    },
  };
}

/** The lines of a text as JSON. */
export function parseLines<T = Record<string, unknown>>(text: string): T[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
