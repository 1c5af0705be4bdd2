// A process that writes more log lines than fit into a pipe, reports on stderr, and exits.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLog } from '../../../functions/log.ts';

const log = createLog('info');
for (let line = 0; line < 2000; line += 1) {
  if (line === 1000) await nextTurn();
  log.write('INFO', 'é'.repeat(line === 0 ? 300_000 : 300), { line });
}
await nextTurn();
process.stderr.write('written\n');
