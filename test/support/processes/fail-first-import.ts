// Fails the first load of the code that verifies tokens, as a process without free file descriptors does: loaded with `--import`.
import { registerHooks } from 'node:module';

let failures = 1;

registerHooks({
  load(url, context, nextLoad) {
    // A file of the sources, or of a bundle.
    if (/\/verify-token(?:\.ts|-\w+\.js)$/.test(url) && failures > 0) {
      failures -= 1;
      throw new Error('EMFILE: too many open files');
    }
    return nextLoad(url, context);
  },
});
