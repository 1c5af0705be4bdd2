// `npm run check`: checks every table of sql/sources, and every saved query against them with GoogleSQL's analyzer.
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { loadCatalogue } from '../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../functions/endpoints/endpoint.ts';
import { SETTINGS } from '../functions/config.ts';
import { createCaseChecker } from './check/cases/check-cases.ts';
import { checkEndpoint } from './check/check-endpoint.ts';
import { checkSources } from './check/check-sources.ts';
import { formatFault } from './check/definition-fault.ts';
import {
  type ScanWindow,
  formatWindows,
  queriesApartFromClock,
  scanWindows,
} from './check/scan-windows.ts';
import { createMain, runMain } from './cli/command.ts';
import { requireSqlDirectory, sqlOption } from './cli/sql-directory.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import { startGoogleSql } from './local/googlesql/engine.ts';
import { LOCAL } from './local/local-defaults.ts';

const { project, dataset, location, maxBytesBilled, bigQueryEmulatorHost } = SETTINGS;

export const main = createMain('npm run check --', (program, caller) => {
  const { env, print, note, nowMs } = caller;
  const defaults = env[bigQueryEmulatorHost.name]
    ? { dataset: LOCAL.dataset, location: location.default }
    : { dataset: DEPLOYMENT.dataset, location: DEPLOYMENT.datasetLocation };
  const maxBytesOption = new Option(
    '--max-bytes <n>',
    `the limit of --dry-run (default: MAX_BYTES_BILLED, else ${maxBytesBilled.default})`,
  );
  const projectOption = new Option(
    '--project <id>',
    `Google Cloud project (default: ${project.name})`,
  );
  const datasetOption = new Option(
    '--dataset <name>',
    `dataset of the log tables (default: ${dataset.name}, else ${defaults.dataset})`,
  );
  const locationOption = new Option(
    '--location <location>',
    `where the dataset is (default: ${location.name}, else ${defaults.location})`,
  );
  const scanOptions = [maxBytesOption, projectOption, datasetOption, locationOption];
  program
    .description(
      'Checks every table (its columns, how it is stored, its sample rows) and every endpoint without running its query: the definition, the types of the query against the tables of sql/sources, its parameters against the declared ones, its output columns against row, that it is one SELECT, and that it filters the partition column of a table that requires it. Prints from when to when each query reads its tables.',
    )
    .argument('[endpoints...]', 'names of the endpoints to check (all, and the tables)')
    .addOption(sqlOption(caller))
    .option(
      '--update',
      'write what came into the tests of the endpoints, where nothing else is wrong',
    )
    .option(
      '--dry-run',
      'also ask BigQuery, free of charge, what each query would scan for each listed value of its parameters, with and without its bound on time; fails over the limit, and if the bound does not prune partitions',
    )
    .addOption(maxBytesOption)
    .addOption(projectOption)
    .addOption(datasetOption)
    .addOption(locationOption)
    .addHelpText('after', '\nExample:\n  npm run check -- --dry-run --project my-project')
    .action(async (names, { sql, update = false, dryRun, ...given }) => {
      const stray = scanOptions.find((option) => option.attributeName() in given);
      if (stray !== undefined && !dryRun) throw new Error(`${stray.long} needs --dry-run.`);
      requireSqlDirectory(sql);
      const tables = await checkSources(join(sql, 'sources'));
      if (names.length === 0) tables.lines.forEach((line) => print(line));
      tables.faults.forEach((fault) => note(formatFault(fault)));
      let faultCount = tables.faults.length;
      const endpoints = namedEndpoints(loadCatalogue(sql).endpoints, names);
      // To the second: the windows are for reading.
      const checkedAtMs = Math.floor(nowMs() / 1000) * 1000;
      const windows: ScanWindow[] = [];
      const apartFromClock: string[] = [];
      if (!tables.canCheckQueries)
        note('The queries were not checked: they need every schema.json.');
      else {
        const engine = await startGoogleSql();
        const cases = createCaseChecker(engine, tables.sources, update);
        try {
          for (const endpoint of endpoints) {
            const directory = join(sql, 'endpoints', endpoint.name);
            const faults = await checkEndpoint(engine, tables.sources, endpoint, directory);
            const tested = faults.length === 0 ? await cases.check(endpoint, directory) : undefined;
            faults.push(...(tested?.faults ?? []).map(formatFault));
            tested?.updated.forEach((place) => note(`updated: ${place}`));
            tested?.warnings.forEach((warning) => note(`warning: ${formatFault(warning)}`));
            faultCount += faults.length;
            if (faults.length === 0) {
              print(`ok  ${endpoint.name} (${describe(endpoint, tested?.count ?? 0)})`);
              windows.push(...(await scanWindows(engine, tables.sources, endpoint, checkedAtMs)));
              if (dryRun) {
                apartFromClock.push(
                  ...(await queriesApartFromClock(engine, tables.sources, endpoint)),
                );
              }
            }
            faults.forEach(note);
          }
        } finally {
          await cases.close();
          await engine.close();
        }
      }
      if (faultCount === 0) print(formatWindows(windows, checkedAtMs));
      if (dryRun && faultCount === 0) {
        // Loaded here, because a check without --dry-run needs no Google client.
        const { checkScans } = await import('./check/check-scans.ts');
        const settings = {
          ...env,
          [project.name]: given.project ?? env[project.name],
          [dataset.name]: given.dataset ?? (env[dataset.name] || defaults.dataset),
          [location.name]: given.location ?? (env[location.name] || defaults.location),
        };
        const { lines, faults } = await checkScans(
          endpoints,
          settings,
          given.maxBytes,
          apartFromClock,
        );
        lines.forEach((line) => print(line));
        faults.forEach(note);
        faultCount += faults.length;
      }
      if (faultCount > 0) throw new Error(`${faultCount} ${faultCount === 1 ? 'fault' : 'faults'}`);
    });
});

/** All of them without names. */
function namedEndpoints(all: readonly Endpoint[], names: readonly string[]): readonly Endpoint[] {
  const unknown = names.find((name) => !all.some((endpoint) => endpoint.name === name));
  if (unknown !== undefined) {
    const known = all.map(({ name }) => name).join(', ');
    throw new Error(`There is no endpoint ${unknown}. The endpoints are ${known}.`);
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

/** `5 columns, 12 tests` */
function describe({ row }: Endpoint, tests: number): string {
  const columns = Object.keys(row).length;
  return `${columns} ${columns === 1 ? 'column' : 'columns'}, ${tests === 0 ? 'no' : tests} ${tests === 1 ? 'test' : 'tests'}`;
}

if (import.meta.main) void runMain(main);
