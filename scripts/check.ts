// `npm run check`: type-checks every saved query with GoogleSQL's analyzer against sql/sources.
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { loadCatalogue } from '../functions/endpoints/catalogue.ts';
import { SETTINGS } from '../functions/config.ts';
import { checkEndpoint } from './check/check-endpoint.ts';
import { type ScanWindow, formatWindows, scanWindows } from './check/scan-windows.ts';
import { createMain, runMain } from './cli/command.ts';
import { requireSqlDirectory, sqlOption } from './cli/sql-directory.ts';
import { DEPLOYMENT } from './deploy/defaults.ts';
import { startGoogleSql } from './local/googlesql/engine.ts';
import { LOCAL } from './local/local-defaults.ts';
import { readSources } from './sources/read-sources.ts';

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
      'Checks every endpoint without running its query: the definition, the types of the query against the tables of sql/sources, its parameters against the declared ones, its output columns against row, that it is one SELECT, and that it filters the partition column of a table that requires it. Prints from when to when each query reads its tables.',
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
      const { endpoints } = loadCatalogue(requireSqlDirectory(sql));
      const tables = await readSources(join(sql, 'sources'));
      const engine = await startGoogleSql();
      // To the second: the windows are for reading.
      const checkedAtMs = Math.floor(nowMs() / 1000) * 1000;
      const windows: ScanWindow[] = [];
      let faultCount = 0;
      try {
        for (const endpoint of endpoints) {
          const directory = join(sql, 'endpoints', endpoint.name);
          const faults = await checkEndpoint(engine, tables, endpoint, directory);
          faultCount += faults.length;
          if (faults.length === 0) {
            print(`ok  ${endpoint.name} (${Object.keys(endpoint.row).length} columns)`);
            windows.push(...(await scanWindows(engine, tables, endpoint, checkedAtMs)));
          }
          faults.forEach(note);
        }
      } finally {
        await engine.close();
      }
      if (windows.length > 0) print(formatWindows(windows, checkedAtMs));
      if (dryRun && faultCount === 0) {
        // Loaded here, because a check without --dry-run needs no Google client.
        const { checkScans } = await import('./check/check-scans.ts');
        const settings = {
          ...env,
          [project.name]: given.project ?? env[project.name],
          [dataset.name]: given.dataset ?? (env[dataset.name] || defaults.dataset),
          [location.name]: given.location ?? (env[location.name] || defaults.location),
        };
        const { lines, faults } = await checkScans(endpoints, settings, given.maxBytes);
        lines.forEach((line) => print(line));
        faults.forEach(note);
        faultCount += faults.length;
      }
      if (faultCount > 0) throw new Error(`${faultCount} ${faultCount === 1 ? 'fault' : 'faults'}`);
    });
});

if (import.meta.main) void runMain(main);
