// `npm run keys`: creates, lists, revokes, rotates, exports and imports API keys in Firestore.
import { Option } from '@commander-js/extra-typings';
import { SETTINGS } from '../functions/config.ts';
import { loadCatalogue } from './compile/inspect-catalogue.ts';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { projectOption, repeatableOption, requireProject } from './cli/options.ts';
import { requireSqlDirectory, sqlOption } from './cli/options.ts';
import { counted } from './cli/table.ts';
import { LOCAL } from './cli/project.ts';
import { errorMessage } from '../functions/core/describe-error.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import { deploymentOption, namedByDeployment } from './deploy/deployment-option.ts';
import { writeFile } from './cli/write-file.ts';
import { keysToChange, listKeys, revokeKey } from './keys/api-keys.ts';
import { createKeys, requireFreeNames } from './keys/create-keys.ts';
import { formatKeys, formatListed, formatTime } from './keys/format-keys.ts';
import { keysOfEndpoints, rotateKeys } from './keys/rotate-keys.ts';
import { OWNER_ONLY, createKeyOutput } from './keys/show-keys.ts';
import { createImportPlan, formatPlan, importKeys, summarise } from './keys/import-keys.ts';
import { FIELDS, parseKey, readFields } from './keys/key-fields.ts';
import { formatExported, parseExported } from './keys/key-records.ts';
import { readLastUsed } from './keys/last-used.ts';
import { createKeyRegister, withFirestore } from './keys/key-register.ts';
import type { KeyRegister, FirestoreLocation } from './keys/key-register.ts';
import { isCsvFile, parseRecords } from './keys/read-records.ts';
import {
  parseDuration,
  parseExpiry,
  parseId,
  parseList,
  parseRestriction,
} from './keys/key-rights.ts';

export const main = createMain('npm run keys --', (program, terminal) => {
  const { env, print, note } = terminal;
  const emulatorHost = env[SETTINGS.firestoreEmulatorHost.name] || undefined;
  const { printKey, showKeys } = createKeyOutput(terminal);
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
  const noteUnreadable = (count: number): void => {
    if (count > 0) note(`${count} documents in apiKeys are not valid keys and allow nothing.`);
  };
  // The defaults are those of the local service if an emulator is named, else those of a deployment.
  const project = projectOption(terminal, emulatorHost !== undefined);
  const database = new Option('--database <name>').default(
    env[SETTINGS.keysDatabase.name] || DEPLOYMENT.keys_database,
    `KEYS_DATABASE, else ${DEPLOYMENT.keys_database}`,
  );
  const command = <Text extends string>(nameAndArguments: Text) =>
    program
      .command(nameAndArguments)
      .addOption(project)
      .addOption(database)
      .addOption(deploymentOption());
  namedByDeployment(program, { database: 'keys_database', dataset: 'bigquery_dataset' });
  const force = () => new Option('--force').default(false);

  program.usage('create|list|revoke|rotate|export|import [NAME] [options]');

  const rights = ['endpoints', 'parameter', 'expires', 'signs', 'tokenLifetime'];
  const limits = ['requestsPerMinute', 'missesPerMinute', 'bytesPerDay'];
  command('create [name]')
    .option('--endpoints <list>')
    .addOption(repeatableOption('--parameter <name=list>'))
    .option('--requests-per-minute <count>')
    .option('--misses-per-minute <count>')
    .option('--bytes-per-day <size>')
    .option('--expires <when>')
    .option('--signs')
    .option('--token-lifetime <time>')
    .addOption(new Option('--from <file>').conflicts([...rights, ...limits]))
    .option('--out <file>')
    .addOption(sqlOption())
    .action(async (name, { endpoints, parameter, signs = false, sql, from, out, ...rest }) => {
      const { project, database, ...texts } = rest;
      const where = { project, database };
      if (from !== undefined) {
        if (name !== undefined) throw new UsageError('With --from, the file has the names.');
        const catalogue = loadCatalogue(requireSqlDirectory(sql));
        const isCsv = isCsvFile(out ?? from, '{');
        await inStore(where, (store, nowMs) =>
          showKeys(out, isCsv, async () => {
            const { keys } = await listKeys(store);
            const requireFree = requireFreeNames(keys, nowMs);
            const lines = new Map<string, number>();
            const parse = (record: Record<string, unknown>, line: number) => {
              const fields = readFields(record);
              const toCreate = parseKey(catalogue, fields, (field) => field)(nowMs);
              const first = lines.get(fields.name);
              if (first !== undefined) throw new Error(`${fields.name} is in line ${first} too`);
              lines.set(fields.name, line);
              requireFree(fields.name);
              return toCreate;
            };
            const toCreate = await parseRecords(from, parse, FIELDS);
            return createKeys(store, keys, toCreate, nowMs, note);
          }),
        );
        return;
      }
      if (name === undefined) throw new UsageError('Specify a name, or many keys: --from FILE.');
      if (out !== undefined) throw new UsageError('--out is for many keys: add --from FILE.');
      if (texts.tokenLifetime !== undefined && !signs) {
        throw new UsageError('--token-lifetime is for a key that signs tokens: add --signs.');
      }
      if (endpoints === undefined) {
        throw new UsageError(
          "Specify the allowed endpoints: --endpoints NAME,NAME or --endpoints '*'.",
        );
      }
      const fields = {
        ...{ name, signs, ...texts },
        endpoints: parseList(endpoints, '--endpoints'),
        parameters: parameter.map(parseRestriction),
      };
      const catalogue = loadCatalogue(requireSqlDirectory(sql));
      const spelled = (field: string) =>
        `--${field.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;
      const keyAt = parseKey(catalogue, fields, spelled);
      await inStore(where, async (store, nowMs) => {
        const { keys } = await listKeys(store);
        requireFreeNames(keys, nowMs)(name);
        (await createKeys(store, keys, [keyAt(nowMs)], nowMs, note)).forEach(printKey);
      });
    });

  command('list')
    .option('--dataset <name>')
    .option('--location <location>')
    .option('--json')
    .action(async ({ dataset, location, json, ...where }) => {
      const { keys, unreadableCount, nowMs } = await inStore(where, async (store, nowMs) => ({
        ...(await listKeys(store)),
        nowMs,
      }));
      if (keys.length === 0) note('No keys found.');
      else {
        const format = json ? formatListed : formatKeys;
        print(format(keys, nowMs, await lastUsed(where, dataset, location)));
      }
      noteUnreadable(unreadableCount);
    });

  command('revoke <name>')
    .option('--id <id>')
    .addOption(force())
    .action(async (name, { id, force, ...where }) => {
      const options = { id: id === undefined ? undefined : parseId(id), force };
      await inStore(where, async (store, nowMs) => {
        const revoked = await revokeKey(store, name, options, nowMs, note);
        const ids = revoked.map((key) => key.id).join(', ');
        note(
          `${name} is revoked in ${where.database} (${ids}): a service that reads its keys there refuses it within 60 seconds.`,
        );
      });
    });

  command('rotate [name]')
    .option('--overlap <time>', '', '24h')
    .option('--expires <when>')
    .option('--all')
    .option('--endpoints <list>')
    .option('--out <file>')
    .addOption(force())
    .action(async (name, { overlap, expires, force, all, endpoints, out, ...where }) => {
      const expiry = expires === undefined ? undefined : parseExpiry(expires);
      const overlapMs = parseDuration(overlap, '--overlap');
      if ((name === undefined) !== (all === true)) {
        throw new UsageError('Specify either a name, or --all with --endpoints.');
      }
      if ((endpoints === undefined) === (all === true) || (out !== undefined && !all)) {
        throw new UsageError("Specify --all with --endpoints 'GROUP.*' or --endpoints '*'.");
      }
      const patterns = parseList(endpoints ?? '*', '--endpoints');
      await inStore(where, async (store, nowMs) => {
        const { keys } = await listKeys(store);
        const { named, left } =
          name === undefined
            ? keysOfEndpoints(keys, patterns, force, nowMs)
            : { named: [keysToChange(keys, name, { force }, nowMs)], left: [] };
        if (left.length > 0) {
          note(`Left out, because Terraform manages them (--force): ${left.join(', ')}.`);
        }
        if (named.length === 0) throw new Error(`No key to rotate lists ${endpoints}.`);
        const options = { overlapMs, expiresAtMs: expiry?.(nowMs) };
        const rotate = () => rotateKeys(store, named, options, nowMs, note);
        let rotated: Awaited<ReturnType<typeof rotate>> | undefined;
        const newKeys = async () => (rotated = await rotate()).newKeys;
        if (name !== undefined) (await newKeys()).forEach(printKey);
        else {
          await showKeys(out, isCsvFile(out ?? '', '{'), newKeys);
          note(`Rotated: ${named.map(({ newest }) => newest.name).join(', ')}.`);
        }
        if (rotated === undefined) return;
        const { expiresAtMs, endsAtMs } = rotated;
        await rotated.endOldKeys();
        const [first, old] = all
          ? ['first of the new keys', 'old keys work']
          : ['new key', 'old key works'];
        if (expiresAtMs < Infinity) note(`The ${first} expires at ${formatTime(expiresAtMs)}.`);
        // An instance may have read the old key just before. The time is printed without its fraction.
        const cachedSeconds = Number(SETTINGS.keyCacheSeconds.default) + 1;
        const rememberedMs = (await store.nowMs()) + cachedSeconds * 1000;
        const endsMs = Math.max(endsAtMs, rememberedMs);
        note(`The ${old} until ${formatTime(endsMs)} at the latest.`);
      });
    });

  command('export')
    .option('--out <file>')
    .action(async ({ out, ...where }) => {
      const { keys, unreadableCount } = await inStore(where, listKeys);
      // Where the keys are lost, the earlier export stays.
      if (keys.length === 0) throw new Error(`${where.database} has no keys: nothing is exported.`);
      const lines = keys.map(({ storedAs, key }) => formatExported({ hash: storedAs, key }));
      if (out !== undefined) writeFile(out, lines.map((line) => `${line}\n`).join(''), OWNER_ONLY);
      else print(lines.join('\n'));
      note(`${counted(keys.length, 'key')} exported.`);
      noteUnreadable(unreadableCount);
    });

  command('import <file>')
    .option('--dry-run')
    .addOption(new Option('--overwrite').default(false))
    .addOption(new Option('--revive').default(false))
    .addOption(new Option('--include-terraform').default(false))
    .action(async (file, { dryRun, overwrite, revive, includeTerraform, ...where }) => {
      await inStore(where, async (store, nowMs) => {
        const stored = await store.list();
        const planned = createImportPlan(stored, { overwrite, revive, includeTerraform }, nowMs);
        const parse = (record: Record<string, unknown>, line: number) =>
          planned(parseExported(record), line);
        const plan = await parseRecords(file, parse);
        if (dryRun) print(formatPlan(plan));
        else await importKeys(store, stored, plan, note);
        summarise(plan, stored, nowMs).forEach(note);
        if (dryRun) note('Nothing is written (--dry-run).');
      });
    });
  const { bigquery_dataset: dataset, bigquery_location: location } = DEPLOYMENT;
  addHelp(program, 'keys', { dataset, location });
});

if (import.meta.main) void runMain(main);
