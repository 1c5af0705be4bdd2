// `npm run bench`: measures what the service costs, relative to functions that do less.
import { openSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { createMain, runMain } from '../../scripts/cli/command.ts';
import { owning, positiveInteger } from '../support/program.ts';
import { PROJECT_DIRECTORY } from '../../scripts/cli/project.ts';
import { writeFile } from '../../scripts/cli/write-file.ts';
import { provideFirestore } from '../support/service/firestore-emulators.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Bench } from './bench-setup.ts';
import { measureColdStarts } from './cold.ts';
import { buildFunctions } from './functions-to-compare.ts';
import { measureHits } from './hit.ts';
import { measureIncremental } from './incremental.ts';
import { measureMisses, measureStampede } from './miss.ts';

import { type Findings, formatFindings, round } from './table.ts';
import { measureWarming } from './warm.ts';

const PARTS: Record<string, (bench: Bench) => Promise<Findings>> = {
  hit: measureHits,
  cold: measureColdStarts,
  miss: measureMisses,
  stampede: measureStampede,
  warm: measureWarming,
  incremental: measureIncremental,
};

export const main = createMain('npm run bench --', (program, { print, note }) =>
  program
    .description(
      'Measures the service as it is deployed, alternating with baseline functions and a handwritten function, so that the ratios can be compared between Linux machines. Fails if a part does not do what it measures. Nothing else may run on the machine at the same time. Uses the Firestore emulator of FIRESTORE_EMULATOR_HOST, or starts one.',
    )
    .addOption(
      new Option('--only <part...>', 'the parts to measure')
        .choices(Object.keys(PARTS))
        .default(Object.keys(PARTS), 'all'),
    )
    .option('--turn-seconds <n>', 'length of one turn of a comparison', positiveInteger(3600), 1)
    .option('--small', 'little of everything, to test that each part does its work')
    .option('--json <file>', 'write the figures to this file too')
    .addHelpText('after', '\nExample:\n  npm run bench -- --only hit --json figures.json')
    .action(async ({ only: parts, turnSeconds, small: isSmall = false, json }) => {
      if (process.platform !== 'linux') {
        throw new Error('The benchmark reads /proc, which only Linux has.');
      }
      const figuresFile = json === undefined ? undefined : resolve(json);
      // Its parts have paths in the project.
      process.chdir(PROJECT_DIRECTORY);
      note('Building the functions.');
      const folders = await buildFunctions();
      const figures: Record<string, number> = {};
      await owning(async (own) => {
        const emulator = own(await provideFirestore(), ({ stop }) => stop());
        const logs = own(temporaryDirectory('bench-logs-'), ({ remove }) => remove());
        const logFile = openSync(join(logs.path, 'log'), 'w');
        const firestoreHost = emulator.host;
        const bench = { folders, firestoreHost, logFile, turnSeconds, isSmall, say: note };
        const machine = `${cpus().length} × ${cpus()[0]?.model}, ${round(totalmem() / 2 ** 30)} GiB`;
        print(
          `# Saved query endpoints, measured\n\n${machine}, Node ${process.version}, Firestore: ${emulator.name}\n`,
        );
        for (const part of parts) {
          note(`Measuring: ${part}`);
          const findings = await PARTS[part]?.(bench);
          if (findings === undefined) continue;
          print(await formatFindings(findings));
          Object.assign(figures, findings.figures);
        }
      });
      if (figuresFile !== undefined) {
        writeFile(figuresFile, `${JSON.stringify(figures, undefined, 2)}\n`);
      }
    }),
);

if (import.meta.main) void runMain(main);
