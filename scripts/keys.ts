// `npm run keys`: creates, lists, revokes and rotates API keys in Firestore.
import { Option } from '@commander-js/extra-typings';
import { SETTINGS } from '../functions/config.ts';
import { loadCatalogue } from './compile/inspect-catalogue.ts';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { parseBytesPerDay, projectOption, repeatableOption } from './cli/options.ts';
import { requireProject, requireSqlDirectory, sqlOption } from './cli/options.ts';
import { errorMessage } from '../functions/core/errors.ts';
import { deploymentOption, namedByDeployment, partOptions } from './deploy/deployment-option.ts';
import { type NewKey, listKeys, makeNewKey } from './keys/api-keys.ts';
import { requireFreeName, revokeKey, rotateKey } from './keys/api-keys.ts';
import { formatKeys, formatListed, formatRecord, formatTime } from './keys/format-keys.ts';
import { createKeyRegister, withFirestore } from './keys/key-register.ts';
import type { KeyRegister, FirestoreLocation } from './keys/key-register.ts';
import {
  parseExpiry,
  parseId,
  parseLimit,
  parseList,
  parseName,
  parseOverlap,
  parseRestriction,
  parseRights,
  parseTokenLifetime,
} from './keys/key-rights.ts';

export const main = createMain('npm run keys --', (program, { env, print, note }) => {
  const emulatorHost = env[SETTINGS.firestoreEmulatorHost.name] || undefined;
  const inStore = <T>(
    where: Pick<FirestoreLocation, 'project' | 'database'>,
    use: (store: KeyRegister, nowMs: number) => Promise<T>,
  ): Promise<T> =>
    withFirestore(
      { ...where, project: requireProject(where.project), emulatorHost },
      (firestore, inTime) => {
        const store = createKeyRegister(firestore, inTime);
        return store.nowMs().then((nowMs) => use(store, nowMs));
      },
    );
  /** Standard output has only the key, so that it can be piped. */
  const show = ({ storedAs, key, secret, jwk }: NewKey, isJson: boolean, nowMs: number): void => {
    print(isJson ? formatRecord(storedAs, key, nowMs, { key: jwk ?? secret }) : secret);
    const forms = isJson ? 'a JWK' : 'PEM and, in the last line, as JWK';
    const what = jwk
      ? `the private key of ${key.name}, as ${forms}; its kid is ${storedAs}`
      : `the key ${key.name}`;
    note(`This is ${what}. It is shown now and never again.`);
    if (jwk) note('Keep it in the backend that signs tokens, never in a page.');
  };

  program.usage('create|list|revoke|rotate [NAME] [options]');
  namedByDeployment(program, { database: 'keys_database' });
  const command = <Text extends string>(nameAndArguments: Text) =>
    program
      .command(nameAndArguments)
      // The defaults are those of the local service if an emulator is named, else those of a deployment.
      .addOption(projectOption({ env }, emulatorHost !== undefined))
      .addOption(partOptions(env)('--database <name>', 'keys'))
      .addOption(deploymentOption());

  command('create')
    .argument('<name>', '', parseName)
    .requiredOption('--endpoints <list>', '', parseList)
    .addOption(repeatableOption('--parameter <name=list>', parseRestriction))
    .option('--requests-per-minute <count>', '', parseLimit)
    .option('--misses-per-minute <count>', '', parseLimit)
    .option('--bytes-per-day <size>', '', parseBytesPerDay)
    .option('--expires <when>', '', parseExpiry)
    .option('--signs')
    .option('--token-lifetime <time>', '', parseTokenLifetime)
    .option('--json')
    .addOption(sqlOption())
    .action(async (name, { endpoints, parameter, signs = false, sql, json = false, ...given }) => {
      const { expires, tokenLifetime, project, database, ...limits } = given;
      if (tokenLifetime !== undefined && !signs) {
        throw new UsageError('--token-lifetime is for a key that signs tokens: add --signs.');
      }
      const catalogue = loadCatalogue(requireSqlDirectory(sql));
      const rights = parseRights(catalogue, endpoints, parameter);
      await inStore({ project, database }, async (store, nowMs) => {
        const expiresAtMs = expires?.(nowMs);
        const { requestsPerMinute, missesPerMinute, bytesPerDay } = limits;
        const fields = {
          ...{ name, ...rights, requestsPerMinute, missesPerMinute, bytesPerDay, expiresAtMs },
          tokenSeconds: tokenLifetime,
        };
        await requireFreeName(store, name, nowMs);
        const newKey = makeNewKey(fields, signs, nowMs);
        await store.set(newKey.storedAs, newKey.key);
        show(newKey, json, nowMs);
      });
      for (const text of Object.values(rights.parameters ?? {}).flat()) {
        if (!text.includes('*')) continue;
        note(`Only the text "${text}" itself is allowed: * stands for no other value.`);
      }
    });

  command('list')
    .option('--json')
    .action(async ({ json, ...where }) => {
      const { keys, unreadableCount, nowMs } = await inStore(where, async (store, nowMs) => ({
        ...(await listKeys(store)),
        nowMs,
      }));
      if (keys.length === 0) note('No keys found.');
      else print((json ? formatListed : formatKeys)(keys, nowMs));
      if (unreadableCount > 0) {
        note(`${unreadableCount} documents in apiKeys are not valid keys and allow nothing.`);
      }
    });

  command('revoke <name>')
    .option('--id <id>', '', parseId)
    .option('--force')
    .option('--json')
    .action(async (name, { id, force = false, json, ...where }) => {
      await inStore(where, async (store, nowMs) => {
        const revoked = await revokeKey(store, name, { id, force }, nowMs);
        if (json) print(formatListed(revoked, nowMs));
        const ids = revoked.map((key) => key.id).join(', ');
        note(
          `${name} is revoked in ${where.database} (${ids}): a service that reads its keys there refuses it within 60 seconds.`,
        );
      });
    });

  command('rotate <name>')
    .addOption(
      new Option('--overlap <time>').default(parseOverlap('24h'), '24h').argParser(parseOverlap),
    )
    .option('--expires <when>', '', parseExpiry)
    .option('--force')
    .option('--json')
    .action(async (name, { overlap, expires, force = false, json = false, ...where }) => {
      await inStore(where, async (store, nowMs) => {
        const options = { force, overlapMs: overlap, expiresAtMs: expires?.(nowMs) };
        const { newKey, endsAtMs, endOldKeys } = await rotateKey(store, name, options, nowMs);
        show(newKey, json, nowMs);
        await endOldKeys().catch((error: unknown) => {
          const left = `The new key is valid, but the old one has no end: "revoke ${name} --id ID" ends it.`;
          throw new Error(`${errorMessage(error)} ${left}`, { cause: error });
        });
        const { expiresAtMs } = newKey.key;
        if (expiresAtMs !== undefined) note(`The new key expires at ${formatTime(expiresAtMs)}.`);
        // An instance may have read the old key just before. The time is printed without its fraction.
        const cachedSeconds = Number(SETTINGS.keyCacheSeconds.default) + 1;
        const rememberedMs = (await store.nowMs()) + cachedSeconds * 1000;
        const lastMs = Math.max(endsAtMs, rememberedMs);
        note(`The old key works until ${formatTime(lastMs)} at the latest.`);
      });
    });
  addHelp(program, 'keys');
});

if (import.meta.main) void runMain(main);
