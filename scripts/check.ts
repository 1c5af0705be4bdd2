// `npm run check`: checks every table of sql/sources, and every saved query against them with GoogleSQL's analyzer.
import { join } from 'node:path';
import { inspectCatalogue } from './compile/inspect-catalogue.ts';
import type { Endpoint } from '../functions/endpoints/endpoint.ts';
import { SETTINGS, readSetting } from '../functions/config.ts';
import { createCaseChecker } from './check/cases/check-cases.ts';
import { type Batch, type CheckedEndpoint, checkEndpoint } from './check/check-endpoint.ts';
import { checkSources } from './check/check-sources.ts';
import { checkContract, readDefinitionsAt, requireRef } from './check/contract/check-contract.ts';
import { type DefinitionFault, formatFault } from './faults/definition-fault.ts';
import { locateFaults } from './faults/json-document.ts';
import { formatCosts, readPrices } from './check/cost/cost-table.ts';
import { type EndpointCost, endpointCost } from './check/cost/endpoint-cost.ts';
import { filterWarnings, formatWindows, scanWindows } from './check/scan-windows.ts';
import { type ScanWindow, compareWindows, queriesApartFromClock } from './check/scan-windows.ts';
import { parseByteSize } from './cli/byte-size.ts';
import { UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { createProgress } from './cli/progress.ts';
import { LOCAL } from './cli/project.ts';
import { counted } from './cli/table.ts';
import {
  repeatableOption,
  requireProject,
  requireSqlDirectory,
  sqlOption,
  unknownName,
} from './cli/options.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import { startGoogleSql } from './local-bigquery/index.ts';

const { project, dataset, location, maxBytesBilled, bigQueryEmulatorHost } = SETTINGS;

/** On a terminal, and in a log of CI. */
const PROGRESS_MS = { terminal: 2000, log: 15_000 };

export const main = createMain('npm run check --', (program, caller) => {
  const { env, print, note, nowMs } = caller;
  const defaults = env[bigQueryEmulatorHost.name]
    ? { dataset: LOCAL.dataset, location: location.default }
    : { dataset: DEPLOYMENT.bigquery_dataset, location: DEPLOYMENT.bigquery_location };
  program
    .argument('[endpoints...]')
    .addOption(sqlOption())
    .option('--update')
    .option('--update-status')
    .option('--show-warm')
    .option('--against <ref>', '', requireRef)
    .addOption(repeatableOption('--allow-breaking <change>'))
    .option('--gb-per-day <n>', '', '1')
    .option('--dry-run')
    .option('--max-bytes <size>', '', parseByteSize)
    .option('--project <id>')
    .option('--dataset <name>')
    .option('--location <location>')
    .action(async (names, { sql, dryRun, against, allowBreaking, ...others }) => {
      const { update, updateStatus, showWarm, gbPerDay, ...given } = others;
      const stray = program.options.find((option) => option.attributeName() in given);
      if (stray !== undefined && !dryRun) throw new UsageError(`${stray.long} needs --dry-run.`);
      if (against === undefined && allowBreaking.length > 0) {
        throw new UsageError('--allow-breaking needs --against.');
      }
      if (dryRun) requireProject(given.project ?? env[project.name] ?? '');
      if (updateStatus && !update) throw new UsageError('--update-status needs --update.');
      const prices = readPrices(gbPerDay, env.PRICE_PER_TIB);
      const billedMax = Number(readSetting('maxBytesBilled', env[maxBytesBilled.name]));
      requireSqlDirectory(sql);
      const earlier = against === undefined ? undefined : readDefinitionsAt(against, sql, env);
      const isAlone = names.length > 0;
      const catalogue = inspectCatalogue(sql);
      const endpoints = namedFolders(catalogue.endpoints, names);
      const progress =
        caller.progress &&
        createProgress(
          caller.progress,
          'reading the tables',
          caller.isTerminal ? PROGRESS_MS.terminal : PROGRESS_MS.log,
        );
      const queries = endpoints.flatMap((each) => [each.queries?.query, each.queries?.warming]);
      const named = queries.flatMap((query) => query?.sql ?? []);
      const tables = await checkSources(join(sql, 'sources'), isAlone ? named : undefined);
      if (!isAlone) tables.lines.forEach((line) => print(line));
      const reported = new Set<string>();
      const report = (faults: readonly DefinitionFault[]): void => {
        // A fault of a routine is one of each endpoint that calls it.
        for (const fault of faults) {
          const line = formatFault(fault);
          if (!reported.has(line)) note(line);
          reported.add(line);
        }
      };
      if (!isAlone || !tables.canCheckQueries) report(tables.faults);
      report(locateFaults(catalogue.faults));
      // Without the schema there are no endpoints, and each would seem to be removed.
      if (against !== undefined && earlier !== undefined && catalogue.endpoints.length > 0) {
        const isMeant = (folder: string) => names.length === 0 || isNamed(names, folder);
        const options = { sql, ref: against, isMeant, allowed: allowBreaking };
        const broken = checkContract(catalogue.endpoints, earlier, options);
        report(broken);
        const isCompared = endpoints.every(({ endpoint }) => endpoint !== undefined);
        if (broken.length === 0 && isCompared) print(`ok  contract with ${against}`);
      }
      // To the second, because people read the windows.
      const checkedAtMs = Math.floor(nowMs() / 1000) * 1000;
      const windows: ScanWindow[] = [];
      const costs: EndpointCost[] = [];
      const served: Endpoint[] = [];
      const apartFromClock: string[] = [];
      if (!tables.canCheckQueries) {
        endpoints.forEach(({ faults }) => report(locateFaults(faults)));
        note(
          'The queries were not checked: this needs a valid schema.json and table.json of every table.',
        );
      } else {
        progress?.doing('starting GoogleSQL');
        const engine = await startGoogleSql();
        const recording = updateStatus ? 'status' : update ? 'result' : undefined;
        const cases = createCaseChecker(engine, tables.sources, recording);
        try {
          for (const [index, inspected] of endpoints.entries()) {
            progress?.doing(`checking ${inspected.folder} (${index + 1} of ${endpoints.length})`);
            const checked = await checkEndpoint(engine, tables.sources, inspected);
            const { endpoint, faults, queries } = checked;
            report(faults);
            if (endpoint === undefined) continue;
            const folder = join(sql, 'endpoints', endpoint.name);
            const tested = await cases.check(endpoint, queries, folder);
            report(tested.faults);
            tested.updated.forEach((place) => note(`updated: ${place}`));
            tested.warnings.forEach((warning) => note(`warning: ${formatFault(warning)}`));
            const read = await scanWindows(engine, endpoint, queries, checkedAtMs);
            const apart = compareWindows(
              endpoint,
              queries,
              checked.batch?.query,
              read.all,
              checkedAtMs,
            );
            report(locateFaults(apart));
            filterWarnings(read.shown).forEach((text) => note(`warning: ${text}`));
            if (tested.faults.length + apart.length > 0) continue;
            const reason = tested.notRun && `, not run locally: ${tested.notRun}`;
            print(`ok  ${endpoint.name} (${describe(endpoint, tested.count)})${reason ?? ''}`);
            print(`    warming: ${runsWhen(checked)}`);
            if (checked.batch?.isDerived) {
              print(`    batch: ${batchOf(checked.batch, endpoint)}`);
              if (showWarm) print(checked.batch.query.sql);
            }
            served.push(endpoint);
            // There is no file warm.sql.
            const name = checked.batch?.isDerived ? '/batch' : '/warm.sql';
            const inWords = (text: string): string => text.replace('/warm.sql', name);
            windows.push(...read.shown.map((one) => ({ ...one, query: inWords(one.query) })));
            const reads = { reads: read.all, nowMs: checkedAtMs };
            const cost = await endpointCost(engine, endpoint, queries, reads, prices);
            if (cost !== undefined) costs.push(cost);
            if (dryRun) {
              apartFromClock.push(...(await queriesApartFromClock(engine, endpoint, queries)));
            }
          }
        } finally {
          await cases.close();
          await engine.close();
        }
      }
      let faultCount = reported.size;
      if (faultCount === 0) {
        print(formatWindows(windows, checkedAtMs));
        print(formatCosts(costs, { ...prices, maxBytes: billedMax }));
      }
      if (dryRun && faultCount === 0) {
        progress?.doing('asking BigQuery');
        // Loaded here, because a check without --dry-run needs no Google client.
        const { checkScans } = await import('./check/check-scans.ts');
        const settings = {
          ...env,
          [project.name]: given.project ?? env[project.name],
          [dataset.name]: given.dataset ?? (env[dataset.name] || defaults.dataset),
          [location.name]: given.location ?? (env[location.name] || defaults.location),
        };
        const asked = await checkScans(served, settings, given.maxBytes, apartFromClock);
        asked.lines.forEach((line) => print(line));
        asked.faults.forEach(note);
        faultCount += asked.faults.length;
      }
      progress?.stop();
      if (faultCount > 0) throw new Error(counted(faultCount, 'fault'));
    });
  addHelp(program, 'check', { ...defaults, maxBytes: maxBytesBilled.default });
});

/** The folders of these names and groups (`rides` or `rides.*`); all folders if there are no names. */
function namedFolders<Item extends { folder: string }>(all: readonly Item[], names: string[]) {
  const known = all.map(({ folder }) => folder);
  const unknown = names.find((name) => !known.some((folder) => isNamed([name], folder)));
  if (unknown !== undefined) throw unknownName('endpoint', unknown, known);
  return names.length === 0 ? all : all.filter(({ folder }) => isNamed(names, folder));
}

/** Whether one of the names is that of the endpoint or of its group: `rides` or `rides.*`. */
function isNamed(names: readonly string[], folder: string): boolean {
  return names.some(
    (name) => folder === name || folder.startsWith(`${name.replace(/[.][*]$/, '')}.`),
  );
}

function runsWhen({ endpoint, runsAgain }: CheckedEndpoint): string {
  if (endpoint?.cacheWarmingSeconds === 0) return 'never';
  if (runsAgain !== undefined) return `in each run, because of ${formatFault(runsAgain)}`;
  const clocks = endpoint?.dependsOn?.clocks ?? [];
  const ticks = clocks.map(({ unit, timeZone }) => `each ${unit.toLowerCase()} in ${timeZone}`);
  return ['when its tables have changed', ...ticks].join(', and ');
}

function batchOf({ whole }: Batch, { warming }: Endpoint): string {
  const reads = whole ? `all rows in each run: ${whole.message}` : 'only what has changed';
  const names = warming?.batchOver.join(' and ');
  return `one job for many values of ${names}, derived from query.sql; it reads ${reads}`;
}

/** `5 columns, 12 tests` */
function describe({ row }: Endpoint, tests: number): string {
  return `${counted(Object.keys(row).length, 'column')}, ${tests === 0 ? 'no tests' : counted(tests, 'test')}`;
}

if (import.meta.main) void runMain(main);
