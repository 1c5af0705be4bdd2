// Undoes what a test has made or started, so that no test has to, and also where one fails.
type Step = () => unknown;

let ofTest: Step[] | undefined;
const ofFile: Step[] = [];

/** After the test that calls this, or whose hook does; elsewhere after the last hook of the test file. */
export function undo(step: Step): void {
  // In the benchmark and the soak test the caller does so.
  if (!('expect' in globalThis)) return;
  (ofTest ?? ofFile).push(step);
}

/** Before all other hooks of a test. */
export function beginTest(): void {
  ofTest = [];
}

/** After all other hooks of a test: undoes its steps, the latest first. */
export async function endTest(): Promise<void> {
  const steps = ofTest ?? [];
  ofTest = undefined;
  await undoSteps(steps);
}

/** After all other hooks of a test file. */
export async function endFile(): Promise<void> {
  await undoSteps(ofFile.splice(0));
}

/** Each step runs, also after one that fails. */
async function undoSteps(steps: Step[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps.reverse()) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
}
