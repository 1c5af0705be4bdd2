// Finds changes of the endpoints since a git ref that break callers.
import { join } from 'node:path';
import type { InspectedEndpoint } from '../../compile/inspect-endpoint.ts';
import { formatFault } from '../../faults/definition-fault.ts';
import type { CatalogueFault, DefinitionFault } from '../../faults/definition-fault.ts';
import { locateFaults } from '../../faults/json-document.ts';
import { compareDefinitions } from './compare-definitions.ts';
import type { EarlierEndpoint } from './definitions-at-ref.ts';

interface Change extends CatalogueFault {
  word: string;
  isBreaking: boolean;
}

interface ContractOptions {
  sql: string;
  ref: string;
  names: readonly string[];
  allowed: readonly string[];
}

/** `faults` are the changes that break callers and are not allowed; `lines` are all other changes that callers can see. */
export function checkContract(
  inspected: readonly InspectedEndpoint[],
  earlier: readonly EarlierEndpoint[],
  { sql, ref, names, allowed }: ContractOptions,
): { faults: DefinitionFault[]; lines: string[] } {
  const pairs = earlier
    .map(({ folder, read }) => {
      const id = 'definition' in read ? read.definition.id : undefined;
      const today =
        inspected.find((endpoint) => endpoint.folder === folder) ??
        inspected.find((endpoint) => id !== undefined && endpoint.id === id);
      return { folder, read, today };
    })
    .filter(({ folder, today }) => isMeant(today?.folder ?? folder));
  const added = inspected
    .filter((today) => isMeant(today.folder) && pairs.every((pair) => pair.today !== today))
    .map(({ folder, definitionFile }) => ({
      file: definitionFile,
      message: `the endpoint ${folder} is new`,
      word: folder,
      isBreaking: false,
    }));
  const changes = [...pairs.flatMap(changesOf), ...added];
  const breaking = changes.filter(({ isBreaking }) => isBreaking);
  const refused = breaking.filter(({ word }) => !allowed.includes(word));
  const stale = allowed.filter((name) => breaking.every(({ word }) => word !== name));
  const taken = changes.filter((change) => !refused.includes(change));
  const faults = [
    ...locate(refused, ({ word }) => `, which breaks callers (--allow-breaking ${word})`),
    ...stale.map((word) => ({
      file: `--allow-breaking ${word}`,
      message: 'no change of this name breaks callers',
    })),
  ];
  const lines = locate(taken, ({ isBreaking }) => (isBreaking ? ' (allowed)' : '')).map(
    (change) => `changed: ${formatFault(change)}`,
  );
  const isKept = faults.length === 0 && pairs.every(({ today }) => !today || today.endpoint);
  return { faults, lines: isKept ? [...lines, `ok  contract with ${ref}`] : lines };

  function isMeant(folder: string): boolean {
    return names.length === 0 || names.includes(folder);
  }

  function changesOf({ folder, read, today }: (typeof pairs)[number]): Change[] {
    const whole = { word: folder, isBreaking: true };
    if (today === undefined) {
      const file = join(sql, 'endpoints', folder, 'endpoint.json');
      return [{ ...whole, file, message: `the endpoint ${folder} was removed` }];
    }
    const { endpoint, definitionFile: file } = today;
    // Its faults are reported already.
    if (endpoint === undefined) return [];
    if ('fault' in read) {
      const message = `cannot be compared with that of ${ref} (${read.fault}), so it counts as a change`;
      return [{ ...whole, file, message }];
    }
    const changed = compareDefinitions(read.definition, endpoint);
    return changed.map((change) => ({ ...change, file, word: folder + change.pointer }));
  }
}

function locate(changes: readonly Change[], remark: (change: Change) => string): DefinitionFault[] {
  return locateFaults(
    changes.map((change) => ({ ...change, message: change.message + remark(change) })),
  );
}
