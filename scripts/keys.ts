// `npm run keys`: creates, lists, revokes and rotates API keys in Firestore.
import { Option } from '@commander-js/extra-typings';
import { SETTINGS } from '../functions/config.ts';
import { loadCatalogue } from './compile/inspect-catalogue.ts';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { projectOption, repeatableOption, requireProject } from './cli/options.ts';
import { requireSqlDirectory, sqlOption } from './cli/options.ts';
import { LOCAL } from './cli/project.ts';
import { errorMessage } from '../functions/core/describe-error.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import {
  createKey,
  formatKeys,
  formatTime,
  listKeys,
  revokeKey,
  rotateKey,
} from './keys/api-keys.ts';
import { readLastUsed } from './keys/last-used.ts';
import { createKeyRegister, withFirestore } from './keys/key-register.ts';
import type { KeyRegister, FirestoreLocation } from './keys/key-register.ts';
import type { NewKey } from './keys/new-key.ts';
import {
  parseBytes,
  parseDuration,
  parseExpiry,
  parseId,
  parseLimit,
  parseName,
  parseRights,
  parseTokenLifetime,
} from './keys/key-rights.ts';

export const main = createMain('npm run keys --', (program, terminal) => {
  const { env, print, note } = terminal;
  const emulatorHost = env[SETTINGS.firestoreEmulatorHost.name] || undefined;
  const inStore = <T>(
    where: Pick<FirestoreLocation, 'project' | 'database'>,
    use: (store: KeyRegister, nowMs: number) => Promise<T>,
  ): Promise<T> =>
    withFirestore(
      { ...where, project: requireProject(where.project), emulatorHost },
      (firestore, inTime) => {
        const store = createKeyRegister(firestore);
        return inTime(store.nowMs().then((nowMs) => use(store, nowMs)));
      },
    );
  /** Prints only the key on standard output, so that it can be piped. */
  const printKey = ({ secret, id, publicKey }: NewKey, name: string): void => {
    print(secret);
    const signs = publicKey !== undefined;
    const what = signs
      ? `the private key of ${name}, as PEM and, in the last line, as JWK; its kid is ${id}`
      : `the key ${name}`;
    note(`This is ${what}. It is shown now and never again.`);
    if (signs) note('Keep it in the backend that signs tokens, never in a page.');
  };
  /** Undefined, with a note, if nothing is known. */
  const lastUsed = async (where: { project: string }, dataset?: string, location?: string) => {
    const local = env[SETTINGS.bigQueryEmulatorHost.name] || undefined;
    try {
      if (emulatorHost !== undefined && local === undefined) {
        throw new Error(`${SETTINGS.bigQueryEmulatorHost.name} names no local BigQuery`);
      }
      const byDefault = local === undefined ? DEPLOYMENT.bigquery_dataset : LOCAL.dataset;
      return await readLastUsed({
        project: where.project,
        dataset: dataset ?? (env[SETTINGS.dataset.name] || byDefault),
        location: location ?? (env[SETTINGS.location.name] || DEPLOYMENT.bigquery_location),
        emulatorHost: local,
      });
    } catch (error) {
      note(`LAST USED is unknown: ${errorMessage(error)}.`);
      return undefined;
    }
  };
  // The defaults are those of the local service if an emulator is named, else those of a deployment.
  const project = projectOption(terminal, emulatorHost !== undefined);
  const database = new Option('--database <name>').default(
    env[SETTINGS.keysDatabase.name] || DEPLOYMENT.keys_database,
    `KEYS_DATABASE, else ${DEPLOYMENT.keys_database}`,
  );
  const command = <Text extends string>(nameAndArguments: Text) =>
    program.command(nameAndArguments).addOption(project).addOption(database);
  const force = () => new Option('--force').default(false);

  program.usage('create|list|revoke|rotate [NAME] [options]');

  command('create <name>')
    .option('--endpoints <list>')
    .addOption(repeatableOption('--parameter <name=list>'))
    .option('--requests-per-minute <count>')
    .option('--misses-per-minute <count>')
    .option('--bytes-per-day <size>')
    .option('--expires <when>')
    .option('--signs')
    .option('--token-lifetime <time>')
    .addOption(sqlOption())
    .action(async (text, { endpoints, parameter, expires, signs = false, sql, ...rest }) => {
      const { requestsPerMinute, missesPerMinute, bytesPerDay, tokenLifetime, ...where } = rest;
      const expiry = expires === undefined ? undefined : parseExpiry(expires);
      const name = parseName(text);
      const limits = {
        requestsPerMinute: parseLimit(requestsPerMinute, '--requests-per-minute'),
        missesPerMinute: parseLimit(missesPerMinute, '--misses-per-minute'),
        bytesPerDay: parseBytes(bytesPerDay, '--bytes-per-day'),
        tokenSeconds: parseTokenLifetime(tokenLifetime),
      };
      if (tokenLifetime !== undefined && !signs) {
        throw new UsageError('--token-lifetime is for a key that signs tokens: add --signs.');
      }
      if (endpoints === undefined) {
        throw new UsageError(
          "Specify the allowed endpoints: --endpoints NAME,NAME or --endpoints '*'.",
        );
      }
      const rights = parseRights(loadCatalogue(requireSqlDirectory(sql)), endpoints, parameter);
      await inStore(where, async (store, nowMs) => {
        const expiresAtMs = expiry?.(nowMs);
        const key = { name, ...rights, ...limits, expiresAtMs };
        printKey(await createKey(store, key, signs, nowMs), name);
        const starred = Object.values(rights.parameters ?? {}).flat();
        for (const value of starred.filter((one) => one.includes('*'))) {
          note(`Only the text "${value}" itself is allowed: * stands for no other value.`);
        }
      });
    });

  command('list')
    .option('--dataset <name>')
    .option('--location <location>')
    .action(async ({ dataset, location, ...where }) => {
      const { keys, unreadableCount, nowMs } = await inStore(where, async (store, nowMs) => ({
        ...(await listKeys(store)),
        nowMs,
      }));
      if (keys.length === 0) note('No keys found.');
      else print(formatKeys(keys, nowMs, await lastUsed(where, dataset, location)));
      if (unreadableCount > 0) {
        note(`${unreadableCount} documents in apiKeys are not valid keys and allow nothing.`);
      }
    });

  command('revoke <name>')
    .option('--id <id>')
    .addOption(force())
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

  command('rotate <name>')
    .option('--overlap <time>', '', '24h')
    .option('--expires <when>')
    .addOption(force())
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
  const { bigquery_dataset: dataset, bigquery_location: location } = DEPLOYMENT;
  addHelp(program, 'keys', { dataset, location });
});

if (import.meta.main) void runMain(main);
