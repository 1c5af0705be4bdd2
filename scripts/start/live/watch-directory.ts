// Watches a directory, and calls once for each burst of changes.
import { watch } from 'chokidar';
import { errorMessage } from '../../../functions/core/errors.ts';

/** An editor writes a file in several steps, and a checkout changes many files. */
const QUIET_MS = 150;
/** Without a pause between changes, the longest that one waits. */
const WAIT_MS_MAX = 1000;

interface DirectoryListener {
  /** Is never called while an earlier call is still under way. */
  onChange: () => Promise<void>;
  /** Receives one sentence for each reason why changes may be missed. */
  onBlind: (sentence: string) => void;
}

/** Resolves once changes are seen. The result stops the watching; a call that is under way is not waited for. */
export async function watchDirectory(directory: string, { onChange, onBlind }: DirectoryListener) {
  let timer: NodeJS.Timeout | undefined;
  let firstAtMs: number | undefined;
  let running = Promise.resolve();
  const told = new Set<string>();
  const tell = (reason: string): void => {
    const sentence = `Changes in ${directory} may be missed until a restart: ${reason}.`;
    if (!told.has(sentence)) onBlind(sentence);
    told.add(sentence);
  };
  const run = (): void => {
    firstAtMs = undefined;
    running = running.then(onChange);
  };
  const changed = (): void => {
    const nowMs = performance.now();
    firstAtMs ??= nowMs;
    clearTimeout(timer);
    timer = setTimeout(run, Math.min(QUIET_MS, Math.max(0, firstAtMs + WAIT_MS_MAX - nowMs)));
  };
  const watcher = watch(directory, { ignoreInitial: true });
  watcher.on('all', changed);
  // No watcher sees the directory itself reappear.
  watcher.on('unlinkDir', (path) => {
    if (path === directory) tell('it was removed or moved');
  });
  watcher.on('error', (error) => tell(errorMessage(error)));
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  // For changes before that.
  changed();
  return async () => {
    clearTimeout(timer);
    const closed = watcher.close();
    // Closing removes all listeners, and a scan that is under way may still fail: an error without a listener is thrown.
    watcher.on('error', () => undefined);
    await closed;
  };
}
