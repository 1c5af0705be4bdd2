// Distinguishes what only BigQuery has from what does not exist, and refuses what only the engine has.
import { GoogleSqlError } from '../engine/error.ts';
import notRunHere from './not-run-here.json' with { type: 'json' };
import { isWord, tokens } from '../../lexer/sql-tokens.ts';
import { codeOf } from '../../lexer/sql-text.ts';
import * as tree from '../analysis/resolved-tree.ts';
import type { ResolvedNode } from '../analysis/resolved-tree.ts';
import { typeText } from '../values/engine-values.ts';
import { errorAt } from '../analysis/mapped-text.ts';

/** Functions that are services of BigQuery rather than SQL, or that the engine's release is too old for. */
const FUNCTIONS = new RegExp(`^(?:${notRunHere.functions.join('|')})$`, 'i');

/** The error of an analysis; of the kind `unsupported` if what was not found may exist in BigQuery. */
export function onlyInBigQuery(error: GoogleSqlError, sql: string): GoogleSqlError {
  const syntax = error.message.replace(
    /^Statement not supported: \w*Assignment\w*/,
    'Syntax error: Unexpected keyword SET',
  );
  if (SCRIPT.test(syntax)) {
    const message = 'Syntax error (only a single SELECT runs locally, not a script): ';
    return new GoogleSqlError('invalid', syntax.replace(SCRIPT, message), { cause: error });
  }
  // A message of the engine, the text that causes it, and why the text does not run here.
  const [, , reason] =
    notRunHere.messages.find(
      ([told = '', text = '']) =>
        new RegExp(told).test(error.message) && new RegExp(text, 'i').test(codeOf(sql)),
    ) ?? [];
  if (error.kind === 'invalid' && reason !== undefined) {
    return new GoogleSqlError('unsupported', `${reason}${placeOf(error)}`, { cause: error });
  }
  const found =
    /^(Connection|Function|Model|Table|Table-valued function) not found: ([\w.`$@*-]+)/.exec(
      error.message,
    );
  if (error.kind !== 'invalid' || !found) return error;
  const [, kind = '', written = ''] = found;
  const name = written.replaceAll('`', '');
  const isOfBigQuery =
    kind === 'Table'
      ? /(?:^|[.])(?:INFORMATION_SCHEMA[.]|__TABLES(?:_SUMMARY)?__$)/i.test(name)
      : kind === 'Connection' || kind === 'Model' || FUNCTIONS.test(name);
  const isRoutine = /unction$/.test(kind) && ROUTINE.test(name);
  if (!isOfBigQuery && !isRoutine) return error;
  const told = isOfBigQuery
    ? `the ${kind.toLowerCase()} ${name} exists only in BigQuery`
    : `the ${kind === 'Function' ? 'routine' : 'table function'} ${name} is not defined here`;
  return new GoogleSqlError('unsupported', told + placeOf(error), { cause: error });
}

/** `bqutil.fn.int`, `fn.int`: a routine of a dataset, which BigQuery may have, and no function of GoogleSQL such as `NET.HOST`. */
const ROUTINE = /^(?!(?:AEAD|HLL_COUNT|KEYS|KLL_QUANTILES|NET|SAFE)[.])[\w-]+(?:[.][\w-]+)+$/i;

function placeOf({ message }: GoogleSqlError): string {
  return / at \[\d+:\d+\]$/.exec(message)?.[0] ?? '';
}

/** A script, of which BigQuery runs all statements; the place is that of the first. */
const SCRIPT =
  /^Syntax error: (?=Unexpected keyword (?:BEGIN|CALL|DECLARE|FOR|IF|LOOP|REPEAT|SET|WHILE) at \[1:1\]$)/;

/**
 * Throws a `GoogleSqlError` for what the engine takes and BigQuery does not: an ARRAY or STRUCT in PARTITION BY, an ARRAY in IS
 * DISTINCT FROM and in an aggregate with DISTINCT, IGNORE NULLS in the window call of an aggregate, PERCENTILE_CONT and
 * PERCENTILE_DISC as aggregates, EXCEPT ALL and INTERSECT ALL. `field` has the value.
 */
export function refuseOthers(value: unknown, sql: string, field = ''): void {
  if (Array.isArray(value)) for (const item of value as unknown[]) refuseOthers(item, sql, field);
  const message = tree.messageOf(value);
  if (message === undefined) return;
  const [, operation] = /^(EXCEPT|INTERSECT)_ALL$/.exec(String(message['opType'])) ?? [];
  if (operation !== undefined) {
    const all = tokens(sql);
    const at = all.find(
      (token, index) => isWord(token, operation) && isWord(all[index + 1], 'ALL'),
    );
    const told = `${operation} ALL is not supported: use ${operation} DISTINCT`;
    throw errorAt(sql, at?.start ?? 0, told);
  }
  for (const item of tree.listOf(message, 'partitionByList')) {
    const key = { kind: 'ColumnRef', message: tree.messageOf(item) ?? {} };
    if (!['TYPE_ARRAY', 'TYPE_STRUCT'].includes(tree.typeOf(key)?.typeKind ?? '')) continue;
    refuse(`Partitioning by expressions of type ${nameOf(key)} is not allowed`, key, sql);
  }
  const call = { kind: 'FunctionCall', message };
  if (/^[$]is_(?:not_)?distinct_from$/.test(tree.functionOf(call) ?? '')) {
    const array = tree.argumentsOf(call).find((item) => /\bARRAY</.test(nameOf(item)));
    if (array) {
      refuse(`IS DISTINCT FROM is not defined for arguments of type ${nameOf(array)}`, call, sql);
    }
  }
  refuseCall(call, sql, field);
  for (const [name, child] of Object.entries(message)) refuseOthers(child, sql, name);
}

function refuseCall(call: ResolvedNode, sql: string, field: string): void {
  const name = tree.functionOf(call) ?? '';
  if (field === 'resolvedAggregateFunctionCallNode' && /^percentile_(?:cont|disc)$/.test(name)) {
    const message = `Analytic function ${name.toUpperCase()} cannot be called without an OVER clause`;
    refuse(message, call, sql);
  }
  const array = tree.argumentsOf(call).find((item) => /^ARRAY</.test(nameOf(item)));
  if (array && tree.fieldOf(call.message, 'distinct') === true) {
    const message = `Aggregate functions with DISTINCT cannot be used with arguments of type ${nameOf(array)}`;
    refuse(message, call, sql);
  }
  const nulls = String(tree.fieldOf(call.message, 'nullHandlingModifier'));
  if (name === 'array_agg' && call.message['windowFrame'] && /^(?:IGNORE|RESPECT)/.test(nulls)) {
    const message = `IGNORE NULLS and RESPECT NULLS are not allowed for analytic function ARRAY_AGG`;
    refuse(message, tree.argumentsOf(call)[0] ?? call, sql);
  }
}

function nameOf(node: ResolvedNode): string {
  const type = tree.typeOf(node);
  return type ? typeText(type) : '';
}

function refuse(message: string, node: ResolvedNode, sql: string): never {
  const place = tree.textPlaceOf(node, Buffer.from(sql));
  if (place === undefined) throw new GoogleSqlError('invalid', message);
  throw errorAt(sql, place.start, message);
}
