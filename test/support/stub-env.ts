// Sets variables of this process for a test.
import { undo } from './undo.ts';

/** Until the returned function is called, and no longer than the test. */
export function stubEnv(values: Record<string, string>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  const restore = (): void => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  };
  Object.assign(process.env, values);
  undo(restore);
  return restore;
}
