// A process that writes to the log for a while, whether or not it is read, and exits with code 0.
import { createLog } from '../../../functions/log.ts';

const log = createLog('info');
let lines = 0;
const timer = setInterval(() => {
  log.write('INFO', 'Going on.');
  lines += 1;
  if (lines === 20) clearInterval(timer);
}, 5);
