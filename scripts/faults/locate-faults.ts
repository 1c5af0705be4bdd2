// Finds the line and column of what is wrong with the files of `sql/`.
import {
  type CatalogueFault,
  type DefinitionFault,
  FaultsError,
  byPlace,
  distinctFaults,
} from './definition-fault.ts';
import { parseJsonDocument } from './json-document.ts';
import { readText } from './read-text-file.ts';
import { lineAndColumn } from './text-place.ts';

export function locatedError(faults: readonly CatalogueFault[]): FaultsError {
  return new FaultsError(locateFaults(faults));
}

/** In the order of the files and of the places in them; equal faults once. */
export function locateFaults(faults: readonly CatalogueFault[]): DefinitionFault[] {
  const texts = new Map<string, string | undefined>();
  for (const { file } of faults) if (!texts.has(file)) texts.set(file, readText(file));
  const located = faults.flatMap((fault) => locate(fault, texts.get(fault.file)));
  return distinctFaults(located).sort(
    (a, b) => Number(a.file > b.file) - Number(a.file < b.file) || byPlace(a, b),
  );
}

function locate(
  { pointer, offset, ...fault }: CatalogueFault,
  text: string | undefined,
): DefinitionFault[] {
  const { file, message, line } = fault;
  if (text === undefined || line !== undefined) return [fault];
  if (offset !== undefined) return [{ file, ...lineAndColumn(text, offset), message }];
  if (!file.endsWith('.json')) return [fault];
  const document = parseJsonDocument(file, text);
  if (document.faults.length > 0) return document.faults;
  return [pointer === undefined ? fault : document.faultAt(pointer, message)];
}
