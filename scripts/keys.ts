// `npm run keys`: makes, lists, revokes and replaces API keys in Firestore by hand.
import { parseArgs } from 'node:util';
import { loadCatalogue } from '../functions/catalogue.ts';
import { SETTINGS } from '../functions/config.ts';
import { isValidKey } from '../functions/core/access.ts';
import { withDeadline } from '../functions/core/deadline.ts';
import type { ApiKey, KeyStore } from '../functions/core/ports.ts';
import { createFirestore } from '../functions/google/firestore-client.ts';
import { createFirestoreKeyStore } from '../functions/google/key-store.ts';
import { systemClock as clock } from '../functions/system-clock.ts';
import {
  createKey,
  isManagedByTerraform,
  listKeys,
  revokeKey,
  rotateKey,
} from './keys/api-keys.ts';
import { exitWithUsage, runCommand } from './cli/command.ts';
import { explainGoogleError, requireCredentials } from './cli/google-errors.ts';
import { parseDuration, parseExpiry, parseName, parseRights } from './keys/key-rights.ts';

const WHERE = `
  --project P    Google Cloud project (default: GOOGLE_CLOUD_PROJECT)
  --database D   Firestore database   (default: FIRESTORE_DATABASE, else (default))
  --help         this text

Credentials are those of "gcloud auth application-default login"; FIRESTORE_EMULATOR_HOST names an
emulator, which wants none.
`;

const USAGES = {
  create: `Usage: npm run keys -- create NAME --endpoints LIST [--parameter NAME=LIST]… [--expires WHEN]

Makes an API key and prints it, once: only its SHA-256 is stored. It works at once, except that it
was unknown for the last 10 seconds to who tried it before.

  --endpoints    names of endpoints, separated by commas, or '*' for all
  --parameter    the only values that the key may pass for a parameter: project=abc,def
                 (literal values, never patterns; repeat it for further values and parameters)
  --expires      2027-01-01T00:00:00Z (UTC), or how long from now: 30m, 24h, 90d (default: never)
${WHERE}`,
  list: `Usage: npm run keys -- list

Lists the keys with what they may do. The id is the beginning of the key's SHA-256.
${WHERE}`,
  revoke: `Usage: npm run keys -- revoke NAME [--id ID] [--force]

Ends every valid key of this name; the service refuses it within 60 seconds.

  --id           only the key with this id (see list), of several that a rotation has left
  --force        also a key that Terraform manages, whose next apply makes it valid again
${WHERE}`,
  rotate: `Usage: npm run keys -- rotate NAME [--overlap TIME] [--expires WHEN] [--force]

Makes a new key with the rights of the present one and prints it, once. The old one stays valid for
the overlap, so that callers can change over.

  --overlap      30m, 24h, 7d; 0m ends the old key at once (default: 24h)
  --expires      when the new key ends (default: when the present one would have)
  --force        also a key that Terraform manages, whose next apply undoes the end of the old one
${WHERE}`,
};

const USAGE = `Usage: npm run keys -- create|list|revoke|rotate [NAME] [options]

  create NAME    makes a key and prints it
  list           shows the keys and what they may do
  revoke NAME    ends a key
  rotate NAME    replaces a key, with an overlap

"npm run keys -- create --help" tells the options of create, and so on.
`;

type Command = keyof typeof USAGES;

const OPTIONS = {
  project: { type: 'string' },
  database: { type: 'string' },
  endpoints: { type: 'string' },
  parameter: { type: 'string', multiple: true },
  expires: { type: 'string' },
  overlap: { type: 'string' },
  id: { type: 'string' },
  force: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Options of each command, beside those that say where. */
const TAKES: Record<Command, readonly string[]> = {
  create: ['endpoints', 'parameter', 'expires'],
  list: [],
  revoke: ['id', 'force'],
  rotate: ['overlap', 'expires', 'force'],
};
const COMMON: readonly string[] = ['project', 'database', 'help'];

const TIMEOUT_MS = 15_000;

await runCommand(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
  const [command, ...names] = positionals;
  if (command === undefined) {
    if (values.help) exitWithUsage(USAGE);
    throw new Error('Say one of create, list, revoke, rotate. --help tells more.');
  }
  if (!isCommand(command)) {
    throw new Error(`There is no command ${command}. Say one of create, list, revoke, rotate.`);
  }
  if (values.help) exitWithUsage(USAGES[command]);
  for (const option of Object.keys(values)) {
    if (COMMON.includes(option) || TAKES[command].includes(option)) continue;
    throw new Error(`${command} has no option --${option}. --help tells those that it has.`);
  }
  const run = prepare(command, names, values);
  const project = values.project ?? process.env[SETTINGS.project.name] ?? '';
  if (project === '') throw new Error('Name the project: --project or GOOGLE_CLOUD_PROJECT.');
  const database =
    values.database ||
    process.env[SETTINGS.firestoreDatabase.name] ||
    SETTINGS.firestoreDatabase.default;
  await withKeyStore(project, database, run);
});
// A client that still tries to connect would hold the process up, and one that is ended then fails.
process.exit();

function isCommand(text: string): text is Command {
  return Object.hasOwn(USAGES, text);
}

/** Checks all that can be checked before Firestore is asked. */
function prepare(
  command: Command,
  names: readonly string[],
  values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'],
): (store: KeyStore) => Promise<void> {
  const [first, ...others] = names;
  if (command === 'list') {
    if (first !== undefined) throw new Error(`list takes no name, but was given ${first}.`);
    return list;
  }
  if (first === undefined) throw new Error(`Name the key: ${command} NAME.`);
  if (others.length > 0) throw new Error(`One name at a time: what is ${others.join(' ')}?`);
  const nowMs = clock.nowMs();
  const expiresAtMs = values.expires === undefined ? undefined : parseExpiry(values.expires, nowMs);
  const force = values.force === true;
  switch (command) {
    case 'create': {
      const name = parseName(first);
      if (values.endpoints === undefined) {
        throw new Error("Say what the key opens: --endpoints NAME,NAME or --endpoints '*'.");
      }
      const rights = parseRights(loadCatalogue('sql'), values.endpoints, values.parameter ?? []);
      return (store) => create(store, { name, ...rights, expiresAtMs }, nowMs);
    }
    case 'revoke': {
      const { id } = values;
      if (id !== undefined && !/^[0-9a-f]{1,64}$/.test(id)) {
        throw new Error(`--id is the beginning of a digest in hexadecimal, not "${id}".`);
      }
      return (store) => revoke(store, first, { id, force }, nowMs);
    }
    case 'rotate': {
      const overlapMs = parseDuration(values.overlap ?? '24h', '--overlap');
      return (store) => rotate(store, first, { overlapMs, expiresAtMs, force }, nowMs);
    }
  }
}

async function create(
  store: KeyStore,
  key: Parameters<typeof createKey>[1],
  nowMs: number,
): Promise<void> {
  printKey(await createKey(store, key, nowMs), key.name);
}

async function list(store: KeyStore): Promise<void> {
  const { keys, unreadableCount } = await listKeys(store);
  const nowMs = clock.nowMs();
  const rows = keys.map(({ id, key }) => [
    key.name,
    key.endpoints.join(','),
    Object.entries(key.parameters ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, allowed]) => `${name}=${allowed.join(',')}`)
      .join(' ') || 'any',
    isManagedByTerraform(key) ? 'by Terraform' : formatTime(key.createdAtMs),
    formatTime(key.expiresAtMs),
    stateOf(key, nowMs),
    id,
  ]);
  if (rows.length > 0) {
    printTable([['NAME', 'ENDPOINTS', 'PARAMETERS', 'CREATED', 'EXPIRES', 'STATE', 'ID'], ...rows]);
  } else console.error('There are no keys.');
  if (unreadableCount > 0) {
    console.error(`${unreadableCount} documents in apiKeys are no keys and open nothing.`);
  }
}

async function revoke(...args: Parameters<typeof revokeKey>): Promise<void> {
  const revoked = await revokeKey(...args);
  const ids = revoked.map(({ id }) => id).join(', ');
  console.error(`${args[1]} is revoked (${ids}): the service refuses it within 60 seconds.`);
}

async function rotate(...args: Parameters<typeof rotateKey>): Promise<void> {
  const [, name, { overlapMs }, nowMs] = args;
  const { newKey, endOldKeys } = await rotateKey(...args);
  printKey(newKey, name);
  await endOldKeys();
  console.error(`The old key works until ${formatTime(nowMs + overlapMs)} at the latest.`);
}

/** The key alone on stdout, so that it can be piped to where it is kept. */
function printKey(key: string, name: string): void {
  console.log(key);
  console.error(`This is the key ${name}. It is shown now and never again.`);
}

function stateOf(key: ApiKey, nowMs: number): string {
  if (isValidKey(key, nowMs)) return 'valid';
  return key.revokedAtMs === undefined ? 'expired' : 'revoked';
}

function formatTime(ms: number | undefined): string {
  return ms === undefined ? 'never' : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function printTable(rows: readonly string[][]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

async function withKeyStore(
  project: string,
  database: string,
  run: (store: KeyStore) => Promise<void>,
): Promise<void> {
  const emulatorHost = process.env[SETTINGS.firestoreEmulatorHost.name] || undefined;
  if (emulatorHost === undefined) await requireCredentials();
  const firestore = createFirestore({ project, database, emulatorHost });
  try {
    await withDeadline(
      clock,
      TIMEOUT_MS,
      run(createFirestoreKeyStore(firestore)),
      () => new Error(`Firestore does not answer${emulatorHost ? ` at ${emulatorHost}` : ''}.`),
    );
  } catch (error) {
    throw explainGoogleError(error, {
      notFound: `Project ${project} has no Firestore database ${database}: name it with --database.`,
      denied: `You may not read and write ${database} of ${project}: ask for the role Cloud Datastore User.`,
    });
  }
}
