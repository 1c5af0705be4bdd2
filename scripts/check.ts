// `npm run check`: checks every table of sql/sources, and every saved query against them with GoogleSQL's analyzer.
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { inspectCatalogue } from '../functions/endpoints/catalogue.ts';
import { SETTINGS } from '../functions/config.ts';
import { checkEndpoint } from './check/check-endpoint.ts';
import { checkSources } from './check/check-sources.ts';
import { type DefinitionFault, formatFault } from './check/definition-fault.ts';
import { locateFaults } from './check/locate-faults.ts';
import { reasonNotRunLocally } from './check/runs-locally.ts';
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

export const main = createMain('npm run check --', (program, { env, print, note, nowMs }) => {
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
    .addOption(sqlOption())
    .option(
      '--dry-run',
      'also ask BigQuery, free of charge, what each query would scan for each listed value of its parameters, with and without its bound on time; fails over the limit, and if the bound does not prune partitions',
    )
    .addOption(maxBytesOption)
    .addOption(projectOption)
    .addOption(datasetOption)
    .addOption(locationOption)
    .addHelpText('after', '\nExample:\n  npm run check -- --dry-run --project my-project')
    .action(async ({ sql, dryRun, ...given }) => {
      const stray = scanOptions.find((option) => option.attributeName() in given);
      if (stray !== undefined && !dryRun) throw new Error(`${stray.long} needs --dry-run.`);
      requireSqlDirectory(sql);
      const tables = await checkSources(join(sql, 'sources'));
      tables.lines.forEach((line) => print(line));
      const reported = new Set<string>();
      const report = (faults: readonly DefinitionFault[]): void => {
        // A fault of a routine is one of each endpoint that calls it.
        for (const line of faults.map(formatFault)) if (!reported.has(line)) note(line);
        for (const line of faults.map(formatFault)) reported.add(line);
      };
      report(tables.faults);
      const catalogue = inspectCatalogue(sql);
      report(locateFaults(catalogue.faults));
      // To the second: the windows are for reading.
      const checkedAtMs = Math.floor(nowMs() / 1000) * 1000;
      const windows: ScanWindow[] = [];
      const apartFromClock: string[] = [];
      if (!tables.canCheckQueries) {
        catalogue.endpoints.forEach(({ faults }) => report(locateFaults(faults)));
        note('The queries were not checked: they need every schema.json.');
      } else {
        const engine = await startGoogleSql();
        try {
          for (const inspected of catalogue.endpoints) {
            const faults = await checkEndpoint(engine, tables.sources, inspected);
            report(faults);
            const { endpoint } = inspected;
            if (faults.length > 0 || endpoint === undefined) continue;
            const reason = await reasonNotRunLocally(engine, tables.sources, endpoint);
            const notRun = reason === undefined ? '' : `, not run locally: ${reason}`;
            print(`ok  ${endpoint.name} (${Object.keys(endpoint.row).length} columns)${notRun}`);
            windows.push(...(await scanWindows(engine, tables.sources, endpoint, checkedAtMs)));
            if (dryRun) {
              apartFromClock.push(
                ...(await queriesApartFromClock(engine, tables.sources, endpoint)),
              );
            }
          }
        } finally {
          await engine.close();
        }
      }
      let faultCount = reported.size;
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
          catalogue.endpoints.flatMap(({ endpoint }) => endpoint ?? []),
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

if (import.meta.main) void runMain(main);
