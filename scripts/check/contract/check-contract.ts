// Finds what of the endpoints breaks callers since a git ref.
import type { InspectedEndpoint } from '../../compile/inspect-endpoint.ts';
import type { CatalogueFault, DefinitionFault } from '../../faults/definition-fault.ts';
import { formatFault } from '../../faults/definition-fault.ts';
import { locateFaults } from '../../faults/locate-faults.ts';
import { compareDefinitions } from './compare-definitions.ts';
import type { readDefinitionsAt } from './definitions-at-ref.ts';

interface ContractOptions {
  ref: string;
  /** The folders that are compared; all if there is none. */
  names: readonly string[];
  /** The words of `--allow-breaking`. */
  allowed: readonly string[];
}

interface Change extends CatalogueFault {
  /** For `--allow-breaking`. */
  word: string;
  isBreaking: boolean;
}

/** The faults break callers without being allowed; the lines tell everything else. */
export function checkContract(
  inspected: readonly InspectedEndpoint[],
  earlier: ReturnType<typeof readDefinitionsAt>,
  { ref, names, allowed }: ContractOptions,
): { lines: string[]; faults: DefinitionFault[] } {
  const isNamed = (folder: string): boolean => names.length === 0 || names.includes(folder);
  const changes: Change[] = [];
  let isComplete = true;
  const successors = new Set<InspectedEndpoint>();
  for (const { folder, file, read } of earlier) {
    const id = 'definition' in read ? read.definition.id : undefined;
    const today =
      inspected.find((endpoint) => endpoint.folder === folder) ??
      inspected.find((endpoint) => id !== undefined && endpoint.id === id);
    if (today !== undefined) successors.add(today);
    if (!isNamed(today?.folder ?? folder)) continue;
    const broken = { word: folder, isBreaking: true };
    if (today === undefined) changes.push({ ...broken, file, message: `${folder} is gone` });
    // Its own faults are reported in any case.
    else if (today.endpoint === undefined) isComplete = false;
    else if ('fault' in read) {
      const message = `cannot be compared with ${ref} (${read.fault})`;
      changes.push({ ...broken, file: today.definitionFile, message });
    } else {
      const { definitionFile, endpoint } = today;
      for (const change of compareDefinitions(read.definition, endpoint)) {
        changes.push({ ...change, file: definitionFile, word: folder + change.pointer });
      }
    }
  }
  for (const today of inspected) {
    if (successors.has(today) || !isNamed(today.folder)) continue;
    const message = `${today.folder} is new`;
    changes.push({ file: today.definitionFile, message, word: today.folder, isBreaking: false });
  }
  const isRefused = ({ isBreaking, word }: Change): boolean =>
    isBreaking && !allowed.includes(word);
  const located = (kept: (change: Change) => boolean, toMessage: (change: Change) => string) =>
    locateFaults(
      changes.filter(kept).map((change) => ({
        file: change.file,
        message: toMessage(change),
        ...(change.pointer !== undefined && { pointer: change.pointer }),
      })),
    );
  const faults = [
    ...located(
      isRefused,
      ({ message, word }) => `${message}, which breaks callers (--allow-breaking ${word})`,
    ),
    ...allowed
      .filter((word) => !changes.some((change) => change.isBreaking && change.word === word))
      .map((word) => ({
        file: `--allow-breaking ${word}`,
        message: 'no change of this name breaks callers',
      })),
  ];
  const taken = located(
    (change) => !isRefused(change),
    ({ message, isBreaking }) => `${message}${isBreaking ? ' (allowed)' : ''}`,
  );
  const count = `${changes.length || 'no'} ${changes.length === 1 ? 'change' : 'changes'}`;
  const summary = `ok  contract with ${ref} (${count})`;
  const isSound = faults.length === 0 && isComplete;
  return {
    faults,
    lines: [...taken.map((change) => `changed: ${formatFault(change)}`), ...(isSound ? [summary] : [])],
  };
}
