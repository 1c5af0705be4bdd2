// Watches a directory, and calls once for each burst of changes.
import { watch } from 'chokidar';

/** An editor writes a file in several steps, and a checkout changes many files. */
const QUIET_MS = 150;
/** Without a pause between changes, the longest that one waits. */
const WAIT_MS_MAX = 1000;

/** `onChange` is never called while an earlier call is still under way. The result stops the watching. */
export async function watchDirectory(
  directory: string,
  onChange: () => Promise<void>,
): Promise<() => Promise<void>> {
  const watcher = watch(directory, { ignoreInitial: true });
  let timer: NodeJS.Timeout | undefined;
  let firstAtMs: number | undefined;
  let running = Promise.resolve();

  const run = (): void => {
    firstAtMs = undefined;
    running = running.then(onChange);
  };
  watcher.on('all', () => {
    const nowMs = performance.now();
    firstAtMs ??= nowMs;
    clearTimeout(timer);
    timer = setTimeout(run, Math.min(QUIET_MS, Math.max(0, firstAtMs + WAIT_MS_MAX - nowMs)));
  });
  await new Promise<void>((resolve, reject) => {
    watcher.once('ready', resolve);
    watcher.once('error', reject);
  });
  // Later ones, such as a directory that may not be read, concern single files.
  watcher.on('error', () => undefined);
  return async () => {
    clearTimeout(timer);
    await watcher.close();
    await running;
  };
}
