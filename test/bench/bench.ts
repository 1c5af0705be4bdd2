// `npm run bench`: what the service costs, beside the least that is possible, in one run.
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type FirestoreKind, provideFirestore } from '../support/firestore-emulators.ts';
import type { Bench } from './bench-setup.ts';
import { measureColdStarts } from './cold.ts';
import { buildFunctions } from './functions-to-compare.ts';
import { measureHits } from './hit.ts';
import { measureMemory } from './memory.ts';
import { startLoadClient } from './processes.ts';
import { measureStampede } from './stampede.ts';
import { type Findings, formatFindings, round } from './table.ts';
import { measureWarming } from './warm.ts';

const PARTS: Record<string, (bench: Bench) => Promise<Findings>> = {
  hit: measureHits,
  cold: measureColdStarts,
  stampede: measureStampede,
  warm: measureWarming,
  memory: measureMemory,
};

const EMULATORS: Record<FirestoreKind, string> = {
  given: 'the emulator of FIRESTORE_EMULATOR_HOST',
  google: 'Google’s emulator',
  'in-process': 'an in-process emulator',
};

const USAGE = `Usage: npm run bench -- [--only PART]... [--turn-seconds N] [--json FILE]

Measures the service as it is deployed, in turns with functions that do less or the same by hand, so
that the ratios mean something on any Linux machine. Nothing else should run meanwhile. Firestore is the
emulator of FIRESTORE_EMULATOR_HOST, or one that it starts.

  --only PART       one of ${Object.keys(PARTS).join(', ')}; may be given again (default: all)
  --turn-seconds N  how long one turn of a comparison of hits lasts (default: 1)
  --json FILE       also writes the figures as one flat object
  --help            this text
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: Object.keys(PARTS) },
    'turn-seconds': { type: 'string', default: '1' },
    json: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const turnSeconds = Number(values['turn-seconds']);
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
if (process.platform !== 'linux') fail('The benchmark reads /proc, which only Linux has.');
if (!Number.isInteger(turnSeconds) || turnSeconds < 1) fail('--turn-seconds must be 1 or more.');
for (const part of values.only) if (!(part in PARTS)) fail(`There is no part ${part}.\n\n${USAGE}`);

say('Building the functions.');
const folders = await buildFunctions();
const emulator = await provideFirestore();
const logs = mkdtempSync(join(tmpdir(), 'bench-logs-'));
const logFile = openSync(join(logs, 'log'), 'w');
const client = startLoadClient();
const bench = { folders, firestoreHost: emulator.host, client, turnSeconds, logFile, say };
const figures: Record<string, number> = {};
try {
  const machine = `${cpus().length} × ${cpus()[0]?.model}, ${round(totalmem() / 2 ** 30)} GiB`;
  const firestore = EMULATORS[emulator.kind];
  process.stdout.write(
    `# Saved query endpoints, measured\n\n${machine}, Node ${process.version}, Firestore: ${firestore}\n\n`,
  );
  for (const part of values.only) {
    say(`Measuring: ${part}`);
    const findings = await PARTS[part]?.(bench);
    if (findings === undefined) continue;
    process.stdout.write(`${formatFindings(findings)}\n`);
    Object.assign(figures, findings.figures);
  }
} finally {
  rmSync(logs, { recursive: true });
  await client.stop();
  await emulator.stop();
}
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify(figures, undefined, 2)}\n`);
}
process.exit(0);

function fail(message: string): never {
  say(message);
  process.exit(2);
}
