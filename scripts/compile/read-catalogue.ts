// Loads `sql/` for a command, which reports what is wrong with it by line and column.
import type { Catalogue } from '../../functions/endpoints/catalogue.ts';
import { loadCatalogue } from './inspect-catalogue.ts';
import { DefinitionError } from '../faults/catalogue-fault.ts';
import { formatFault } from '../faults/definition-fault.ts';
import { locateFaults } from '../faults/locate-faults.ts';

/** Throws one Error with all faults, each on its line. */
export function readCatalogue(sqlDirectory: string): Catalogue {
  try {
    return loadCatalogue(sqlDirectory);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const lines = locateFaults(error.faults).map(formatFault);
    throw new Error(lines.join('\n'), { cause: error });
  }
}
