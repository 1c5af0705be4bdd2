// Preloaded into a process: sends the number of files that Node has loaded to the parent process.
import { registerHooks } from 'node:module';

let count = 0;

registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) {
      count += 1;
      process.send?.(count);
    }
    return nextLoad(url, context);
  },
});
// The channel to the parent does not keep this process alive.
process.channel?.unref();
