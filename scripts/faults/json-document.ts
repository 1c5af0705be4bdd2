// Reads files of `sql/` as text and as JSON, and finds the line and column of each value.
import { getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { FaultsError, byPlace, distinctFaults } from './definition-fault.ts';
import type { DefinitionFault, CatalogueFault } from './definition-fault.ts';
import { lineAndColumn } from './text-place.ts';
import { isUtf8 } from 'node:buffer';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { errorCode } from '../../functions/core/errors.ts';

/** Completes "the file …" for text in another encoding. */
export const NOT_UTF8 = 'is not UTF-8: save it as UTF-8';

class EncodingError extends Error {}

/** The text without a byte order mark. Throws for anything but a file; reading a pipe would wait for a writer. */
export function readTextFile(file: string): string {
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file.`);
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new EncodingError(`${file} ${NOT_UTF8}`);
  return bytes.toString().replace(/^\uFEFF/, '');
}

/** Undefined if the file cannot be read, which is a fault. A missing file is a fault only with `missing`, its message. */
export function readText(file: string, faults: DefinitionFault[] = [], missing?: string) {
  try {
    return readTextFile(file);
  } catch (error) {
    if (error instanceof EncodingError) faults.push({ file, message: NOT_UTF8 });
    else if (errorCode(error) !== 'ENOENT') faults.push({ file, message: 'cannot be read' });
    else if (missing !== undefined) faults.push({ file, message: missing });
    return undefined;
  }
}

/** The items of a directory, by name. One that cannot be read has none, which is a fault, unless it is missing and `mayLack`. */
export function readItems(directory: string, faults: DefinitionFault[] = [], mayLack = false) {
  try {
    const items = readdirSync(directory, { withFileTypes: true });
    return items.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const isFault = !mayLack || errorCode(error) !== 'ENOENT';
    if (isFault) faults.push({ file: directory, message: 'cannot be read' });
    return [];
  }
}

export type JsonDocument = ReturnType<typeof parseJsonDocument>;

/** Adds its faults to `faults`, a missing file only with `missing`, its message. Undefined if it cannot be read. */
export function readJsonDocument(file: string, faults: DefinitionFault[], missing?: string) {
  const text = readText(file, faults, missing);
  const document = text === undefined ? undefined : parseJsonDocument(file, text);
  faults.push(...(document?.faults ?? []));
  return document;
}

/** `file` is the name for messages. */
export function parseJsonDocument(file: string, text: string) {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  const at = (offset: number, message: string): DefinitionFault => {
    return { file, ...lineAndColumn(text, offset), message };
  };
  const broken = errors
    .map(({ error, offset }) => {
      // `CommaExpected` as `comma expected`.
      const words = printParseErrorCode(error).replaceAll(/(?!^)[A-Z]/g, ' $&');
      return at(offset, `not valid JSON: ${words.toLowerCase()}`);
    })
    // The first fault of a line causes the others.
    .filter(({ line }, index, all) => line !== all[index - 1]?.line);
  const repeated = broken.length > 0 || root === undefined ? [] : repeatedFields(root);
  const faults = [
    ...broken,
    ...repeated.map(({ name, offset, first }) => {
      const { line, column } = lineAndColumn(text, first);
      return at(offset, `duplicate field ${name}: first in ${line}:${column}`);
    }),
  ];
  return {
    /** As JSON.parse gives it; undefined if the text is not JSON. */
    value: root === undefined || faults.length > 0 ? undefined : (getNodeValue(root) as unknown),
    /** Why the text is not JSON, or its duplicate fields. */
    faults,
    /**
     * A fault of the value at a JSON pointer (RFC 6901), such as `/0/fields/2`: where the name of the property
     * begins, else the value itself. An absent value is reported at the nearest one around it.
     */
    faultAt: (pointer: string, message: string) =>
      at(root === undefined ? 0 : offsetOf(root, pointer), message),
  };
}

function offsetOf(root: Node, pointer: string): number {
  let node = root;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const next =
      node.type === 'array'
        ? node.children?.[Number(name)]
        : node.children?.find(({ children }) => children?.[0]?.value === name)?.children?.[1];
    if (next === undefined) break;
    node = next;
  }
  return node.parent?.type === 'property' ? node.parent.offset : node.offset;
}

/** Duplicate fields of an object, each with the place of the first. */
function repeatedFields(node: Node): { name: string; offset: number; first: number }[] {
  const firsts = new Map<string, number>();
  return (node.children ?? []).flatMap((child) => {
    if (child.type !== 'property') return repeatedFields(child);
    const { offset, children: [key] = [] } = child;
    const name = String(key?.value);
    const first = firsts.get(name);
    if (first === undefined) firsts.set(name, offset);
    const inside = repeatedFields(child);
    return first === undefined ? inside : [{ name, offset, first }, ...inside];
  });
}

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

function locate({ pointer, offset, ...fault }: CatalogueFault, text: string | undefined) {
  const { file, message, line } = fault;
  if (text === undefined || line !== undefined) return [fault];
  if (offset !== undefined) return [{ file, ...lineAndColumn(text, offset), message }];
  if (!file.endsWith('.json')) return [fault];
  const document = parseJsonDocument(file, text);
  if (document.faults.length > 0) return document.faults;
  return [pointer === undefined ? fault : document.faultAt(pointer, message)];
}
