// Detects the end of npm, which started this program: npm does not end the programs that it started.

const INTERVAL_MS = 500;

/**
 * Calls `ended` once npm has ended; package.json starts this program with `exec`, so that no shell stays between the
 * two. Does nothing if the program was not started by npm: its parent may then end first on purpose (nohup). Returns
 * a function that stops the watch.
 */
export function onLauncherEnd(
  env: Readonly<Record<string, string | undefined>>,
  ended: () => void,
): () => void {
  if (env.npm_lifecycle_event === undefined) return () => undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    // A process whose parent has ended gets another one, even if the old one is a zombie.
    if (process.ppid === parent) return;
    clearInterval(timer);
    ended();
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
