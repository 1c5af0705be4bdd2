// Says what the start of the local service is doing, while it takes long.

const INTERVAL_MS = 1500;

/** `doing` names the step under way. */
export function createProgress(print: (line: string) => void) {
  const begunAtMs = performance.now();
  let step = 'starting';
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begunAtMs) / 1000);
    print(`${seconds} s: ${step} …`);
  }, INTERVAL_MS);
  return {
    doing: (next: string): void => void (step = next),
    stop: (): void => clearInterval(timer),
  };
}
