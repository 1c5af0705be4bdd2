// `npm run keys`: creates, lists, revokes and rotates API keys in Firestore.
import { Option } from '@commander-js/extra-typings';
import { SETTINGS } from '../functions/config.ts';
import { loadCatalogue } from './compile/inspect-catalogue.ts';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { projectOption, repeatableOption, requireProject } from './cli/options.ts';
import { requireSqlDirectory, sqlOption } from './cli/options.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import {
  createKey,
  formatKeys,
  formatTime,
  listKeys,
  revokeKey,
  rotateKey,
} from './keys/api-keys.ts';
import { createKeyRegister, withFirestore } from './keys/key-register.ts';
import type { KeyRegister, FirestoreLocation } from './keys/key-register.ts';
import {
  parseDuration,
  parseExpiry,
  parseId,
  parseLimit,
  parseName,
  parseRights,
} from './keys/key-rights.ts';

export const main = createMain('npm run keys --', (program, terminal) => {
  const { env, print, note } = terminal;
  const emulatorHost = env[SETTINGS.firestoreEmulatorHost.name] || undefined;
  const inStore = (
    where: Pick<FirestoreLocation, 'project' | 'database'>,
    use: (store: KeyRegister, nowMs: number) => Promise<void>,
  ): Promise<void> =>
    withFirestore(
      { ...where, project: requireProject(where.project), emulatorHost },
      (firestore, inTime) => {
        const store = createKeyRegister(firestore);
        return inTime(store.nowMs().then((nowMs) => use(store, nowMs)));
      },
    );
  /** Prints only the key on standard output, so that it can be piped. */
  const printKey = (key: string, name: string): void => {
    print(key);
    note(`This is the key ${name}. It is shown now and never again.`);
  };
  // The defaults are those of the local service if an emulator is named, else those of a deployment.
  const project = projectOption(terminal, emulatorHost !== undefined);
  const database = new Option('--database <name>', 'Firestore database of the keys').default(
    env[SETTINGS.keysDatabase.name] || DEPLOYMENT.keys_database,
    `KEYS_DATABASE, else ${DEPLOYMENT.keys_database}`,
  );
  const command = <Text extends string>(nameAndArguments: Text, description: string) =>
    program
      .command(nameAndArguments)
      .description(description)
      .addOption(project)
      .addOption(database);
  const force = (effect: string): Option<'--force', undefined, false> =>
    new Option('--force', `also if Terraform manages the key; ${effect}`).default(false);

  program
    .usage('create|list|revoke|rotate [NAME] [options]')
    .description('Creates, lists, revokes and rotates API keys.')
    .addHelpText(
      'after',
      `
"npm run keys -- create --help" shows the options of create, and so on.
Credentials are those of "gcloud auth application-default login"; FIRESTORE_EMULATOR_HOST names an
emulator, which needs no credentials.

Example:
  npm run keys -- create dashboard --endpoints '*' --project my-project`,
    );

  command(
    'create <name>',
    'Creates an API key and prints it once: only its SHA-256 is stored. The key works at once.',
  )
    .option('--endpoints <list>', "names of endpoints, separated by commas, or '*' for all")
    .addOption(
      repeatableOption(
        '--parameter <name=list>',
        'the only values that the key may pass for a parameter: project=abc,def (literal values, never patterns)',
      ),
    )
    .option(
      '--requests-per-minute <count>',
      'requests per minute that an instance accepts from the key (default: no limit)',
    )
    .option(
      '--misses-per-minute <count>',
      'requests per minute that may run a query because the cache has no rows (default: no limit)',
    )
    .option(
      '--expires <when>',
      'a time in UTC such as 2027-01-01T00:00:00Z, or a duration from now: 30m, 24h, 90d (default: never)',
    )
    .addOption(sqlOption())
    .addHelpText(
      'after',
      `
Examples:
  npm run keys -- create partner --endpoints functions.invocation-stats --parameter project=abc --expires 90d
  npm run keys -- create agent --endpoints '*' --requests-per-minute 60 --misses-per-minute 10`,
    )
    .action(async (text, { endpoints, parameter, expires, sql, ...rest }) => {
      const { requestsPerMinute, missesPerMinute, ...where } = rest;
      const expiry = expires === undefined ? undefined : parseExpiry(expires);
      const name = parseName(text);
      const limits = {
        requestsPerMinute: parseLimit(requestsPerMinute, '--requests-per-minute'),
        missesPerMinute: parseLimit(missesPerMinute, '--misses-per-minute'),
      };
      if (endpoints === undefined) {
        throw new UsageError(
          "Specify the allowed endpoints: --endpoints NAME,NAME or --endpoints '*'.",
        );
      }
      const rights = parseRights(loadCatalogue(requireSqlDirectory(sql)), endpoints, parameter);
      await inStore(where, async (store, nowMs) => {
        const expiresAtMs = expiry?.(nowMs);
        printKey(await createKey(store, { name, ...rights, ...limits, expiresAtMs }, nowMs), name);
      });
    });

  command(
    'list',
    "Lists the keys with what they may do. The id is the beginning of the key's SHA-256.",
  )
    .addHelpText('after', '\nExample:\n  npm run keys -- list --project my-project')
    .action((where) =>
      inStore(where, async (store, nowMs) => {
        const { keys, unreadableCount } = await listKeys(store);
        if (keys.length > 0) print(formatKeys(keys, nowMs));
        else note('No keys found.');
        if (unreadableCount > 0) {
          note(`${unreadableCount} documents in apiKeys are not valid keys and allow nothing.`);
        }
      }),
    );

  command(
    'revoke <name>',
    'Revokes every valid key of this name. The service refuses them within 60 seconds.',
  )
    .option('--id <id>', 'only the key with this id (see list), if several keys have this name')
    .addOption(force('the next terraform apply makes it valid again'))
    .addHelpText('after', '\nExample:\n  npm run keys -- revoke partner --project my-project')
    .action(async (name, { id, force, ...where }) => {
      const options = { id: id === undefined ? undefined : parseId(id), force };
      await inStore(where, async (store, nowMs) => {
        const revoked = await revokeKey(store, name, options, nowMs);
        const ids = revoked.map((key) => key.id).join(', ');
        note(
          `${name} is revoked in ${where.database} (${ids}): a service that reads its keys there refuses it within 60 seconds.`,
        );
      });
    });

  command(
    'rotate <name>',
    'Creates a new key with the rights of the present key, and prints it once. The old key stays valid for the overlap, so that callers can switch.',
  )
    .option(
      '--overlap <time>',
      'how long the old key stays valid: 30m, 24h, 7d; after 0m, the service refuses it within 60 seconds',
      '24h',
    )
    .option('--expires <when>', 'when the new key expires (default: when the old key does)')
    .addOption(force('the next terraform apply makes the old one valid again'))
    .addHelpText('after', '\nExample:\n  npm run keys -- rotate partner --overlap 7d')
    .action(async (name, { overlap, expires, force, ...where }) => {
      const expiry = expires === undefined ? undefined : parseExpiry(expires);
      const overlapMs = parseDuration(overlap, '--overlap');
      await inStore(where, async (store, nowMs) => {
        const options = { overlapMs, expiresAtMs: expiry?.(nowMs), force };
        const rotated = await rotateKey(store, name, options, nowMs);
        const { expiresAtMs, endsAtMs } = rotated;
        printKey(rotated.newKey, name);
        await rotated.endOldKeys();
        if (expiresAtMs !== undefined) note(`The new key expires at ${formatTime(expiresAtMs)}.`);
        // An instance may have read the old key just before. The time is printed without its fraction.
        const cachedSeconds = Number(SETTINGS.keyCacheSeconds.default) + 1;
        const rememberedMs = (await store.nowMs()) + cachedSeconds * 1000;
        const endsMs = Math.max(endsAtMs, rememberedMs);
        note(`The old key works until ${formatTime(endsMs)} at the latest.`);
      });
    });
});

if (import.meta.main) void runMain(main);
