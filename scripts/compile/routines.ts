// Reads the routines of `sql/routines`, finds those that a query calls, and joins their texts into one job.
import { join } from 'node:path';
import type { CatalogueFault } from '../faults/definition-fault.ts';
import { readItems, readText } from '../faults/json-document.ts';
import { calledFunctions } from '../lexer/sql-text.ts';

export type Routines = ReturnType<typeof readRoutines>;

interface Routine extends SqlPart {
  isFaulty: boolean;
}

export function readRoutines(directory: string) {
  const routines = new Map<string, Routine>();
  const faults: CatalogueFault[] = [];
  const files = readItems(directory, faults, true).filter(({ name }) => name.endsWith('.sql'));
  for (const { name: fileName } of files) {
    const file = join(directory, fileName);
    const name = fileName.slice(0, -'.sql'.length);
    const text = readText(file, faults);
    const part = partOf(file, text ?? '');
    const creation = new RegExp(`CREATE\\s+TEMP\\s+FUNCTION\\s+${name}\\s*\\(`, 'i');
    const isFaulty = !creation.test(part.text);
    if (isFaulty && text !== undefined) {
      faults.push({ file, message: `does not create the function ${name}`, offset: 0 });
    }
    routines.set(name, { ...part, isFaulty });
  }
  return {
    faults,
    /** The routines that a query calls, each after those that it calls. Undefined if one has a fault: reported at its call. */
    calledBy(query: string, report: (message: string, offset: number) => void) {
      const needed = new Set<Routine>();
      const collect = (name: string, callers: readonly string[] = []): void => {
        const routine = routines.get(name);
        if (routine === undefined) return;
        const isCycle = callers.includes(name);
        // CREATE FUNCTION has its own name.
        const called = calledFunctions(routine.text).filter((one) => one.name !== name);
        if (!isCycle) for (const next of called) collect(next.name, [...callers, name]);
        needed.add(isCycle ? { ...routine, isFaulty: true } : routine);
      };
      let isSound = true;
      for (const { name, offset } of calledFunctions(query)) {
        collect(name);
        if ([...needed].every(({ isFaulty }) => !isFaulty)) continue;
        report(`calls the routine ${name}, which has a fault or calls itself`, offset);
        isSound = false;
        needed.clear();
      }
      return isSound ? [...needed] : undefined;
    },
  };
}

/** The text of a file without the white space around it. */
export interface SqlPart {
  file: string;
  text: string;
  /** Where `text` begins in the file, in UTF-16 code units. */
  offset: number;
}

const SEPARATOR = '\n\n';

export function partOf(file: string, content: string): SqlPart {
  return { file, text: content.trim(), offset: content.length - content.trimStart().length };
}

export function joinParts(parts: readonly SqlPart[]): string {
  return parts.map(({ text }) => text).join(SEPARATOR);
}

/** The place in a file of an offset into the joined parts of a query. */
export function inFile(query: { file: string; parts: readonly SqlPart[] }, offset: number) {
  let start = 0;
  for (const part of query.parts) {
    const end = start + part.text.length + SEPARATOR.length;
    if (offset < end || part === query.parts.at(-1)) {
      return { file: part.file, offset: part.offset + offset - start };
    }
    start = end;
  }
  return { file: query.file };
}
