// Reports the current step of a slow command.

export type Progress = ReturnType<typeof createProgress>;

/** Prints the current step every `intervalMs`; `doing` names the next one. Ends with the process at the latest. */
export function createProgress(print: (line: string) => void, first: string, intervalMs = 1000) {
  const begunAtMs = performance.now();
  let step = first;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begunAtMs) / 1000);
    print(`${seconds} s: ${step} …`);
  }, intervalMs).unref();
  return {
    doing: (next: string): void => void (step = next),
    stop: (): void => clearInterval(timer),
  };
}
