// Reads the routines of `sql/routines`, and puts those that a query calls in front of it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogueFault } from './catalogue-fault.ts';
import { calledFunctions } from './sql-text.ts';

export interface Routines {
  /** Each routine's file that has a fault. */
  faults: CatalogueFault[];
  /**
   * The query with the routines that it calls in front of it, each after the routines that it calls. A
   * routine with a fault is reported at the place of its call.
   */
  prepend(query: string, report: (message: string, offset: number) => void): string;
}

interface Routine {
  text: string;
  isFaulty: boolean;
}

export function readRoutines(directory: string): Routines {
  const names = existsSync(directory)
    ? readdirSync(directory).filter((file) => file.endsWith('.sql'))
    : [];
  const routines = new Map<string, Routine>();
  const faults: CatalogueFault[] = [];
  for (const fileName of names.sort()) {
    const file = join(directory, fileName);
    const name = fileName.slice(0, -'.sql'.length);
    const text = readFileSync(file, 'utf8').trim();
    const isFaulty = !new RegExp(`CREATE\\s+TEMP\\s+FUNCTION\\s+${name}\\s*\\(`, 'i').test(text);
    if (isFaulty) faults.push({ file, message: `does not create the function ${name}`, offset: 0 });
    routines.set(name, { text, isFaulty });
  }
  for (const cycle of findCycles(routines)) {
    const [first = ''] = cycle;
    faults.push({
      file: join(directory, `${first}.sql`),
      message: `routines call each other: ${[...cycle, first].join(' -> ')}`,
      offset: 0,
    });
    for (const name of cycle) routines.set(name, { text: '', isFaulty: true });
  }
  return {
    faults,
    prepend(query, report) {
      const needed = new Set<string>();
      const collect = (name: string): void => {
        const text = routines.get(name)?.text ?? '';
        for (const called of callsOf(routines, text, name)) collect(called);
        needed.add(text);
      };
      const hasFault = (name: string): boolean =>
        routines.get(name)?.isFaulty === true ||
        callsOf(routines, routines.get(name)?.text ?? '', name).some(hasFault);
      for (const { name, offset } of calledFunctions(query)) {
        if (!routines.has(name)) continue;
        if (hasFault(name)) report(`calls the routine ${name}, which has a fault`, offset);
        else collect(name);
      }
      return [...needed, query.trim()].join('\n\n');
    },
  };
}

/** The routines that a text calls; a routine's own name, in CREATE FUNCTION, is none of them. */
function callsOf(routines: ReadonlyMap<string, Routine>, text: string, own: string): string[] {
  return calledFunctions(text)
    .map(({ name }) => name)
    .filter((name) => name !== own && routines.has(name));
}

/** Each cycle of calls once, from the first of its routines in alphabetical order. */
function findCycles(routines: ReadonlyMap<string, Routine>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (name: string, callers: readonly string[]): void => {
    if (callers.includes(name)) cycles.push(callers.slice(callers.indexOf(name)));
    else if (!done.has(name)) {
      const called = callsOf(routines, routines.get(name)?.text ?? '', name);
      for (const next of called) visit(next, [...callers, name]);
      done.add(name);
    }
  };
  for (const name of routines.keys()) visit(name, []);
  return cycles;
}
