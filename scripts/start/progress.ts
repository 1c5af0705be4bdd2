// Says what the start of the local service is doing, while it takes long.

const INTERVAL_MS = 1000;

export type Progress = ReturnType<typeof createProgress>;

/** `doing` names the step under way. */
export function createProgress(print: (line: string) => void) {
  const begunAtMs = performance.now();
  let step = 'loading the code';
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begunAtMs) / 1000);
    print(`${seconds} s: ${step} …`);
  }, INTERVAL_MS);
  return {
    doing: (next: string): void => void (step = next),
    stop: (): void => clearInterval(timer),
  };
}
