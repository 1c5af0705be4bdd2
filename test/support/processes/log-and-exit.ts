// A process that writes to the log in two turns of the event loop and exits before the second ends.
import { createLog } from '../../../functions/log.ts';

const log = createLog('info');
log.write('INFO', 'First.');
log.write('ERROR', 'Second.');
setTimeout(() => {
  log.write('ERROR', 'Last.');
  process.exit(1);
}, 10);
