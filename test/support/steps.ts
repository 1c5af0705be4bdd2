// Runs a text file of tests: each of its tables is a test, and each line a step of it, in JSON.
import { tablesBeside } from './cases.ts';

export type Fields = Record<string, unknown>;
export type Step = unknown[] | Fields;

/**
 * What a step does, or expects: an object by its first name, a list by the empty name. What has begun and not ended when the steps
 * are over is awaited by `end`.
 */
export type Acts = Record<string, (value: never, step: Fields) => unknown>;

/** The tables of the text file of a test, with their names: the steps of one test each. */
export const stepsBeside = (testFile: string): [name: string, steps: Step[]][] =>
  tablesBeside<Step>(testFile);

/** Takes the steps, and awaits what goes on. */
export async function runSteps(acts: Acts, steps: readonly Step[]): Promise<void> {
  await takeAll(acts, steps);
  await acts.end?.(0 as never, {});
}

/** The same step, which notes the names of the fields that are read. */
const noting = (step: Fields, read: Set<string>): Fields =>
  new Proxy(step, {
    get(of, name) {
      read.add(String(name));
      return Reflect.get(of, name) as unknown;
    },
  });

export async function takeAll(acts: Acts, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const [[name = '', value] = []] = Array.isArray(step) ? [['', step]] : Object.entries(step);
    const act = acts[name];
    const read = new Set([name]);
    try {
      if (act === undefined)
        throw new Error(
          `There is no step "${name}", only ${Object.keys(acts).filter(Boolean).join(', ')}.`,
        );
      await act(value as never, noting(step as Fields, read));
      const unread = Array.isArray(step) ? [] : Object.keys(step).filter((of) => !read.has(of));
      if (unread.length > 0)
        throw new Error(`The step "${name}" does not read ${unread.join(', ')}.`);
    } catch (error) {
      (error as Error).message += `\nat the step ${JSON.stringify(step)}`;
      throw error;
    }
  }
}
