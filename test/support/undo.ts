// Undoes what a test has made or started, so that no test has to, and also where one fails.
const atEnd: (() => unknown)[] = [];

/** After the test that calls this, or whose hook does; elsewhere after the last hook of the test file. */
export function undo(step: () => unknown): void {
  // In the benchmark and the soak test the caller does so.
  if (!('onTestFinished' in globalThis)) return;
  try {
    onTestFinished(async () => void (await step()));
  } catch {
    atEnd.push(step);
  }
}

/** What is left of a test file, the latest first. */
export async function undoAll(): Promise<void> {
  for (const step of atEnd.splice(0).reverse()) await step();
}
