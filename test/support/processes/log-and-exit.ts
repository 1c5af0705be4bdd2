// A process that writes one line to the log, and two more when it is told to end, which it does at once.
import { createLog } from '../../../functions/log.ts';

const log = createLog('info');
process.on('SIGTERM', () => {
  log.write('ERROR', 'Second.');
  log.write('ERROR', 'Last.');
  process.exit(1);
});
setInterval(() => undefined, 60_000);
log.write('INFO', 'First.');
