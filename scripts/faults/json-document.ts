// Parses a JSON file of a definition and finds the line and column of each value.
import { getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import type { DefinitionFault } from './definition-fault.ts';
import { lineAndColumn } from './text-place.ts';

export type JsonDocument = ReturnType<typeof parseJsonDocument>;

/** `file` is the name for messages. */
export function parseJsonDocument(file: string, text: string) {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  const at = (offset: number, message: string): DefinitionFault => ({
    file,
    ...lineAndColumn(text, offset),
    message,
  });
  const faults = errors.map(({ error, offset }) =>
    at(offset, `not valid JSON: ${inWords(printParseErrorCode(error))}`),
  );
  return {
    /** As JSON.parse gives it; undefined if the text is not JSON. */
    value: root === undefined || faults.length > 0 ? undefined : (getNodeValue(root) as unknown),
    /** Why the text is not JSON: the first fault of each line, because it causes the others. */
    faults: faults.filter(({ line }, index) => line !== faults[index - 1]?.line),
    /**
     * A fault of the value at a JSON pointer (RFC 6901), such as `/0/fields/2`: where the name of the property
     * begins, else the value itself. A value that is not there is reported at the nearest one around it.
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
        : // Of two properties with one name the last counts.
          node.children?.findLast(({ children }) => children?.[0]?.value === name)?.children?.[1];
    if (next === undefined) break;
    node = next;
  }
  return node.parent?.type === 'property' ? node.parent.offset : node.offset;
}

/** `CommaExpected` as `comma expected`. */
function inWords(code: string): string {
  return code.replaceAll(/(?!^)[A-Z]/g, ' $&').toLowerCase();
}
