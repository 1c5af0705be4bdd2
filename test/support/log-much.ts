// Writes more to the log than a pipe holds, in two turns of the event loop, says so on stderr, and ends.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLog } from '../../functions/log.ts';

const log = createLog('info');
for (let line = 0; line < 2000; line += 1) {
  if (line === 1000) await nextTurn();
  log.write('INFO', 'é'.repeat(line === 0 ? 300_000 : 300), { line });
}
await nextTurn();
process.stderr.write('written\n');
