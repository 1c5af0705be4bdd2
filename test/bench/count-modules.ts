// Preloaded into a process: tells its parent how many files it has loaded, after each of them.
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
// The parent's end of the channel is no reason to live on.
process.channel?.unref();
