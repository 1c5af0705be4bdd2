// Reads the columns of a table from its schema.json, and finds all that BigQuery would refuse in them.
import { type DefinitionFault, byPlace } from '../faults/definition-fault.ts';
import type { JsonDocument } from '../faults/json-document.ts';
import { type SchemaFault, schemaCheck } from '../faults/schema-error.ts';
import { kindOf, type TableField } from '../local-bigquery/index.ts';
import schema from './columns.schema.json' with { type: 'json' };

const check = schemaCheck(schema, 'schema.json');

const RESERVED_PREFIX =
  /^(?:_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_SEQUENCE_NUMBER|_CHANGE_TYPE|_CHANGE_TIMESTAMP)/i;

/** Adds the faults to `faults`. Undefined if there is one. The document must have no fault of JSON. */
export function readColumns(document: JsonDocument, faults: DefinitionFault[]) {
  const ofSchema = check(document.value);
  // The schema describes it.
  const fields = document.value as TableField[];
  const found = ofSchema.length > 0 ? ofSchema : [...faultsIn(fields, '', '')];
  const located = found.map(({ pointer, message }) => document.faultAt(pointer, message));
  faults.push(...located.sort(byPlace));
  return found.length > 0 ? undefined : fields;
}

/** `record` is the path of the RECORD whose fields these are, such as `request.`; empty at the top. */
function* faultsIn(
  list: readonly TableField[],
  pointer: string,
  record: string,
): Generator<SchemaFault> {
  const names = new Set<string>();
  for (const [index, { name, type, fields, rangeElementType }] of list.entries()) {
    const [at, path, kind] = [`${pointer}/${index}`, record + name, kindOf(type)];
    const fault = (place: string, what: string) => ({ pointer: at + place, message: path + what });
    const [reserved] = RESERVED_PREFIX.exec(name) ?? [];
    if (reserved) yield fault('/name', `: BigQuery reserves names that begin with ${reserved}`);
    const isTwice = names.has(name.toLowerCase());
    if (isTwice) yield fault('/name', ': duplicate name (ignoring letter case)');
    names.add(name.toLowerCase());
    if (kind === undefined) yield fault('/type', `: BigQuery has no type "${type}"`);
    if (kind === 'TYPE_STRUCT' && !fields) yield fault('', ': a RECORD needs fields');
    const isOpen = kind === 'TYPE_RANGE' && !rangeElementType;
    if (isOpen) yield fault('', ': a RANGE needs rangeElementType, such as {"type": "DATE"}');
    yield* faultsIn(fields ?? [], `${at}/fields`, `${path}.`);
  }
}
