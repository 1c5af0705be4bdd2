// `npm run check`: checks every table of sql/sources, and every saved query against them with GoogleSQL's analyzer.
import { join } from 'node:path';
import { inspectCatalogue } from './compile/inspect-catalogue.ts';
import type { InspectedEndpoint } from './compile/inspect-endpoint.ts';
import type { Endpoint } from '../functions/endpoints/endpoint.ts';
import { SETTINGS, readSetting } from '../functions/config.ts';
import { createCaseChecker } from './check/cases/check-cases.ts';
import {
  type CheckedEndpoint,
  type ServedEndpoint,
  checkEndpoint,
} from './check/check-endpoint.ts';
import { checkSources } from './check/check-sources.ts';
import { checkContract, readDefinitionsAt, requireRef } from './check/contract/check-contract.ts';
import { type DefinitionFault, formatFault } from './faults/definition-fault.ts';
import { locateFaults } from './faults/json-document.ts';
import { formatCosts, readPrices } from './check/cost/cost-table.ts';
import { type EndpointCost, type Prices, endpointCost } from './check/cost/endpoint-cost.ts';
import { filterWarnings, formatWindows, scanWindows } from './check/scan-windows.ts';
import { type ScanWindow, compareWindows, queriesApartFromClock } from './check/scan-windows.ts';
import { type Terminal, UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { type Progress, createProgress } from './cli/progress.ts';
import { LOCAL } from './cli/project.ts';
import { counted } from './cli/table.ts';
import {
  parseByteSize,
  repeatableOption,
  requireProject,
  requireSqlDirectory,
  sqlOption,
  unknownName,
} from './cli/options.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import { startGoogleSql } from './local-bigquery/index.ts';
import type { Source } from './sources/read-sources.ts';

const { project, dataset, location, maxBytesBilled, bigQueryEmulatorHost } = SETTINGS;

/** On a terminal, and in a log of CI. */
const PROGRESS_MS = { terminal: 2000, log: 15_000 };

export const main = createMain('npm run check --', (program, caller) => {
  const { env, print, note, nowMs, isTerminal } = caller;
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
      const catalogue = inspectCatalogue(sql);
      const endpoints = namedFolders(catalogue.endpoints, names);
      const everyMs = isTerminal ? PROGRESS_MS.terminal : PROGRESS_MS.log;
      const progress =
        caller.progress && createProgress(caller.progress, 'reading the tables', everyMs);
      // To the second, because people read the windows.
      const checkedAtMs = Math.floor(nowMs() / 1000) * 1000;
      const recording = updateStatus ? 'status' : update ? 'result' : undefined;
      const how = { recording, showWarm, dryRun, prices, nowMs: checkedAtMs } as const;
      const reported = new Set<string>();
      const checking = { caller, sql, progress, reported };
      const sources = await checkTables(checking, endpoints, names.length > 0);
      report(checking, locateFaults(catalogue.faults));
      // Without the schema there are no endpoints, and each would seem to be removed.
      if (against !== undefined && earlier !== undefined && catalogue.endpoints.length > 0) {
        const isMeant = (folder: string) => names.length === 0 || isNamed(names, folder);
        const options = { sql, ref: against, isMeant, allowed: allowBreaking };
        const broken = checkContract(catalogue.endpoints, earlier, options);
        report(checking, broken);
        const isCompared = endpoints.every(({ endpoint }) => endpoint !== undefined);
        if (broken.length === 0 && isCompared) print(`ok  contract with ${against}`);
      }
      const results = sources && (await checkQueries(checking, sources, endpoints, how));
      if (results === undefined) {
        endpoints.forEach(({ faults }) => report(checking, locateFaults(faults)));
        note(
          'The queries were not checked: this needs a valid schema.json and table.json of every table.',
        );
      }
      let faultCount = reported.size;
      if (faultCount === 0 && results !== undefined) {
        print(formatWindows(results.windows, checkedAtMs));
        print(formatCosts(results.costs, { ...prices, maxBytes: billedMax }));
      }
      if (dryRun && faultCount === 0 && results !== undefined) {
        progress?.doing('asking BigQuery');
        // Loaded here, because a check without --dry-run needs no Google client.
        const { checkScans } = await import('./check/check-scans.ts');
        const settings = {
          ...env,
          [project.name]: given.project ?? env[project.name],
          [dataset.name]: given.dataset ?? (env[dataset.name] || defaults.dataset),
          [location.name]: given.location ?? (env[location.name] || defaults.location),
        };
        const asked = await checkScans(
          results.served,
          settings,
          given.maxBytes,
          results.apartFromClock,
        );
        asked.lines.forEach((line) => print(line));
        asked.faults.forEach(note);
        faultCount += asked.faults.length;
      }
      progress?.stop();
      if (faultCount > 0) throw new Error(counted(faultCount, 'fault'));
    });
  addHelp(program, 'check', { ...defaults, maxBytes: maxBytesBilled.default });
});

interface Checking {
  caller: Terminal;
  sql: string;
  progress: Progress | undefined;
  /** The lines of the faults: a fault of a routine is one of each endpoint that calls it. */
  reported: Set<string>;
}

function report({ caller, reported }: Checking, faults: readonly DefinitionFault[]): void {
  for (const line of faults.map(formatFault)) {
    if (!reported.has(line)) caller.note(line);
    reported.add(line);
  }
}

/** The tables; undefined if one has a fault, without which correct queries would seem to be wrong. */
async function checkTables(
  checking: Checking,
  endpoints: readonly InspectedEndpoint[],
  isOfSome: boolean,
): Promise<readonly Source[] | undefined> {
  const queries = endpoints.flatMap((each) => [each.queries?.query, each.queries?.warming]);
  const named = queries.flatMap((query) => query?.sql ?? []);
  const directory = join(checking.sql, 'sources');
  const tables = await checkSources(directory, isOfSome ? named : undefined);
  if (!isOfSome) tables.lines.forEach((line) => checking.caller.print(line));
  if (!isOfSome || !tables.canCheckQueries) report(checking, tables.faults);
  return tables.canCheckQueries ? tables.sources : undefined;
}

/** Checks and tests the queries, and finds out what those without a fault read. */
async function checkQueries(
  checking: Checking,
  sources: readonly Source[],
  endpoints: readonly InspectedEndpoint[],
  how: {
    recording: Parameters<typeof createCaseChecker>[2];
    showWarm: true | undefined;
    dryRun: true | undefined;
    prices: Prices;
    nowMs: number;
  },
) {
  const { caller, sql, progress } = checking;
  const results = {
    windows: [] as ScanWindow[],
    costs: [] as EndpointCost[],
    served: [] as ServedEndpoint[],
    apartFromClock: [] as string[],
  };
  progress?.doing('starting GoogleSQL');
  const engine = await startGoogleSql();
  const cases = createCaseChecker(engine, sources, how.recording);
  try {
    for (const [index, inspected] of endpoints.entries()) {
      progress?.doing(`checking ${inspected.folder} (${index + 1} of ${endpoints.length})`);
      const checked = await checkEndpoint(engine, sources, inspected);
      const { endpoint, queries, batch } = checked;
      report(checking, checked.faults);
      if (endpoint === undefined) continue;
      const tested = await cases.check(endpoint, queries, join(sql, 'endpoints', endpoint.name));
      report(checking, tested.faults);
      tested.updated.forEach((place) => caller.note(`updated: ${place}`));
      tested.warnings.forEach((warning) => caller.note(`warning: ${formatFault(warning)}`));
      const served = { endpoint, queries, batch };
      const reads = await scanWindows(engine, served, how.nowMs);
      const apart = compareWindows(served, reads.all, how.nowMs);
      report(checking, locateFaults(apart));
      filterWarnings(reads.shown).forEach((text) => caller.note(`warning: ${text}`));
      if (tested.faults.length + apart.length > 0) continue;
      const reason = tested.notRun && `, not run locally: ${tested.notRun}`;
      caller.print(`ok  ${endpoint.name} (${describe(endpoint, tested.count)})${reason ?? ''}`);
      caller.print(`    warming: ${runsWhen(checked)}`);
      if (batch?.isDerived) caller.print(`    batch: ${batchOf(served)}`);
      if (batch?.isDerived && how.showWarm) caller.print(batch.query.sql);
      const window = { reads: reads.all, nowMs: how.nowMs };
      const cost = await endpointCost(engine, served, window, how.prices);
      results.served.push(served);
      results.windows.push(...reads.shown);
      results.costs.push(...[cost ?? []].flat());
      if (how.dryRun) results.apartFromClock.push(...(await queriesApartFromClock(engine, served)));
    }
  } finally {
    await cases.close();
    await engine.close();
  }
  return results;
}

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

function batchOf({ batch, endpoint }: ServedEndpoint): string {
  const whole = batch?.whole;
  const reads = whole ? `all rows in each run: ${whole.message}` : 'only what has changed';
  const names = endpoint.warming?.batchOver.join(' and ');
  return `one job for many values of ${names}, derived from query.sql; it reads ${reads}`;
}

/** `5 columns, 12 tests` */
function describe({ row }: Endpoint, tests: number): string {
  return `${counted(Object.keys(row).length, 'column')}, ${tests === 0 ? 'no tests' : counted(tests, 'test')}`;
}

if (import.meta.main) void runMain(main);
