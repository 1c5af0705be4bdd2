// Reads the columns of a table from its schema.json, and finds all that BigQuery would refuse in them.
import { isObject } from '../../functions/core/json.ts';
import { type DefinitionFault, byPlace } from '../faults/definition-fault.ts';
import type { JsonDocument } from '../faults/json-document.ts';
import { schemaCheck } from '../faults/schema-error.ts';
import { kindOf, type TableField } from '../local-bigquery/index.ts';
import schema from './columns.schema.json' with { type: 'json' };

const check = schemaCheck(schema, 'schema.json');

const RESERVED_PREFIX =
  /^(?:_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_SEQUENCE_NUMBER|_CHANGE_TYPE|_CHANGE_TIMESTAMP)/i;

/** Returns every column that has a name, even with faults, if the JSON has no fault; `type` is empty if there is none. */
export function readColumns(document: JsonDocument) {
  const faults: DefinitionFault[] = [];
  const report = (pointer: string, message: string): void =>
    void faults.push(document.faultAt(pointer, message));
  for (const { pointer, message } of check(document.value)) report(pointer, message);
  const fields = readList(document.value, '', '');
  return { fields, faults: faults.sort(byPlace) };

  /** `record` is the path of the RECORD whose fields these are, such as `request.`; empty at the top. */
  function readList(list: unknown, pointer: string, record: string): TableField[] {
    const names = new Set<string>();
    return (Array.isArray(list) ? (list as unknown[]) : []).flatMap((column, index) => {
      if (!isObject(column) || typeof column.name !== 'string') return [];
      const { name } = column;
      const [at, path, lower] = [`${pointer}/${index}`, record + name, name.toLowerCase()];
      const [reserved] = RESERVED_PREFIX.exec(name) ?? [];
      if (reserved !== undefined) {
        report(`${at}/name`, `${path}: BigQuery reserves names that begin with ${reserved}`);
      }
      if (names.has(lower)) {
        report(`${at}/name`, `${path}: duplicate name (ignoring letter case)`);
      }
      names.add(lower);
      return [readColumn(column, name, at, path)];
    });
  }

  function readColumn(
    { type = '', mode, description, fields, rangeElementType }: Record<string, unknown>,
    name: string,
    at: string,
    path: string,
  ): TableField {
    const column: TableField = { name, type: typeof type === 'string' ? type : '' };
    const kind = kindOf(column.type);
    if (kind === undefined && column.type !== '') {
      report(`${at}/type`, `${path}: BigQuery has no type "${column.type}"`);
    }
    if (typeof mode === 'string') column.mode = mode;
    if (typeof description === 'string') column.description = description;
    if (kind === 'TYPE_STRUCT') {
      column.fields = readList(fields, `${at}/fields`, `${path}.`);
      if (fields === undefined) report(at, `${path}: a RECORD needs fields`);
    }
    if (kind === 'TYPE_RANGE') {
      if (isObject(rangeElementType)) {
        column.rangeElementType = { type: String(rangeElementType.type) };
      } else report(at, `${path}: a RANGE needs rangeElementType, such as {"type": "DATE"}`);
    }
    return column;
  }
}
