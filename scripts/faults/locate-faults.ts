// Finds the line and column of what is wrong with the files of `sql/`.
import {
  type CatalogueFault,
  type DefinitionFault,
  byPlace,
  formatFault,
} from './definition-fault.ts';
import { parseJsonDocument } from './json-document.ts';
import { readText } from './read-text-file.ts';
import { lineAndColumn } from './text-place.ts';

/** One Error with all faults, each on its line. */
export function locatedError(faults: readonly CatalogueFault[]): Error {
  return new Error(locateFaults(faults).map(formatFault).join('\n'));
}

/** In the order of the files and of the places in them; equal faults once. */
export function locateFaults(faults: readonly CatalogueFault[]): DefinitionFault[] {
  const texts = new Map<string, string | undefined>();
  for (const { file } of faults) if (!texts.has(file)) texts.set(file, readText(file));
  const located = faults.flatMap((fault) => locate(fault, texts.get(fault.file)));
  const distinct = new Map(located.map((fault) => [JSON.stringify(fault), fault]));
  return [...distinct.values()].sort(
    (a, b) => Number(a.file > b.file) - Number(a.file < b.file) || byPlace(a, b),
  );
}

function locate(
  { file, message, pointer, offset }: CatalogueFault,
  text: string | undefined,
): DefinitionFault[] {
  if (text === undefined) return [{ file, message }];
  if (offset !== undefined) return [{ file, ...lineAndColumn(text, offset), message }];
  if (!file.endsWith('.json')) return [{ file, message }];
  const document = parseJsonDocument(file, text);
  if (document.faults.length > 0) return document.faults;
  return [pointer === undefined ? { file, message } : document.faultAt(pointer, message)];
}
