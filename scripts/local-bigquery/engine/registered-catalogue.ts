// Keeps a catalogue registered with whatever process of the engine runs.
import type { EngineProcess } from './engine-process.ts';

/** Tables with their contents and functions; an engine that is started again gets them too. */
export type RegisteredCatalogue = ReturnType<typeof createRegisteredCatalogue>;

/** `register` hands the contents to a process, and answers the id. */
export function createRegisteredCatalogue(register: (process: EngineProcess) => Promise<string>) {
  const ids = new WeakMap<EngineProcess, Promise<string>>();
  return {
    /** The id of the catalogue in a process, which is given the contents if it does not have them. */
    idIn(process: EngineProcess): Promise<string> {
      const known = ids.get(process);
      if (known) return known;
      const id = register(process);
      ids.set(process, id);
      id.catch(() => ids.delete(process));
      return id;
    },
    /** Undefined if the process does not have it. */
    knownIdIn: (process: EngineProcess) => ids.get(process),
  };
}
