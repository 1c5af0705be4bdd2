// Watches a directory, and calls once for each burst of changes.
import { statSync } from 'node:fs';
import { type FSWatcher, watch } from 'chokidar';
import { errorCode, errorMessage } from '../../../functions/core/describe-error.ts';

/** An editor writes a file in several steps, and a checkout changes many files. */
const QUIET_MS = 150;
/** Without a pause between changes, the longest that one waits. */
const WAIT_MS_MAX = 1000;
/** How often the directory itself is checked: no watcher sees it reappear. */
const LOOK_MS = 500;

interface DirectoryListener {
  /** Is never called while an earlier call is still under way. Resolves to false to be called again soon. */
  onChange: () => Promise<boolean>;
  /** Receives one sentence for each reason why changes may be missed. */
  onBlind: (sentence: string) => void;
}

/** Resolves once changes are seen. The result stops the watching; a call that is under way is not waited for. */
export async function watchDirectory(directory: string, { onChange, onBlind }: DirectoryListener) {
  let timer: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;
  let firstAtMs: number | undefined;
  let isStopped = false;
  let running = Promise.resolve();
  const told = new Set<string>();

  const run = (): void => {
    firstAtMs = undefined;
    running = running.then(onChange).then((isDone) => {
      if (!isDone && !isStopped) again = setTimeout(changed, LOOK_MS);
    });
  };
  const changed = (): void => {
    const nowMs = performance.now();
    firstAtMs ??= nowMs;
    clearTimeout(timer);
    timer = setTimeout(run, Math.min(QUIET_MS, Math.max(0, firstAtMs + WAIT_MS_MAX - nowMs)));
  };
  const open = (): FSWatcher => {
    const opened = watch(directory, { ignoreInitial: true });
    opened.on('all', changed);
    // The same directory may reappear before the next check.
    opened.on('unlinkDir', (path) => {
      if (path === directory) watched = undefined;
    });
    opened.on('error', (error) => {
      const sentence = `Changes in ${directory} may be missed until a restart: ${reasonOf(error)}.`;
      if (!told.has(sentence)) onBlind(sentence);
      told.add(sentence);
    });
    return opened;
  };
  let watched = identityOf(directory);
  let watcher = open();
  const look = setInterval(() => {
    const present = identityOf(directory);
    if (present === watched) return;
    watched = present;
    void close(watcher);
    if (present !== undefined) watcher = open().once('ready', changed);
    changed();
  }, LOOK_MS);
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  // For changes before that.
  changed();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    clearTimeout(again);
    clearInterval(look);
    await close(watcher);
  };
}

/** Closing removes all listeners, and a scan that is under way may still fail: an error without a listener is thrown. */
function close(watcher: FSWatcher): Promise<void> {
  const closed = watcher.close();
  watcher.on('error', () => undefined);
  return closed;
}

/** Undefined if it cannot be reached. A new directory may have the number of an old one. */
function identityOf(directory: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = statSync(directory);
    return `${dev} ${ino} ${birthtimeMs}`;
  } catch {
    // It is missing, or a link leads in a circle.
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const reasons = new Map<unknown, string>([
    ['ENOSPC', 'the limit of watched files is reached (fs.inotify.max_user_watches)'],
    ['EMFILE', 'the limit of watchers is reached (fs.inotify.max_user_instances)'],
  ]);
  return reasons.get(errorCode(error)) ?? errorMessage(error);
}
