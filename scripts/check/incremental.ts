// Finds out whether the rows of an endpoint can be kept while its newest buckets are computed anew.
import { basename } from 'node:path';
import { bucketParameters, durationMs, spanOf } from '../../functions/endpoints/bucket-span.ts';
import type { Endpoint, IncrementalSources } from '../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../functions/endpoints/parameter-rule.ts';
import { isScalarType } from '../../functions/core/parameter-type.ts';
import { type InspectedQuery, scanNames } from '../compile/inspect-endpoint.ts';
import { inFile } from '../compile/routines.ts';
import type { CatalogueFault } from '../faults/definition-fault.ts';
import { parametersOf } from '../lexer/sql-text.ts';
import { GoogleSqlError, partOf, queriedTable, tree } from '../local-bigquery/index.ts';
import type { PartitionedTable, ResolvedNode } from '../local-bigquery/index.ts';
import type { AnalysedQueries, AnalysedQuery } from './analysed-query.ts';
import { PURE, namedIn } from './depends-on.ts';
import rules from './incremental-rules.json' with { type: 'json' };

/** Scans that make rows of rows of the same bucket, or that pass them on. All others, known or not, are refused. */
const BY_ROW = new Set(rules.byRow);
const DAY_MS = 86_400_000;
/** By the part to which a time is truncated. */
const LENGTHS = new Map(Object.entries(rules.lengthsMs));
/** Filters of a column of which `scan-windows.ts` knows what they leave. */
const COMPARISONS = new Set(rules.comparisons);
export const CLOCKS = /^current_(?:timestamp|date|datetime|time)$/i;

/** Reports a fault by its name in incremental-rules.json; `name` is what its text names. */
type Report = (fault: keyof typeof rules.faults, name?: string, offset?: number) => void;

interface Found {
  incremental: IncrementalSources | undefined;
  faults: CatalogueFault[];
}

/** The tables of an incremental endpoint, and everything in its queries that is unsound. */
export function incrementalSources(
  endpoint: Endpoint,
  inspected: readonly InspectedQuery[],
  all: AnalysedQueries,
): Found {
  if (!endpoint.warming?.incremental) return { incremental: undefined, faults: [] };
  const faults: CatalogueFault[] = [];
  const sources = new Map<string, IncrementalSources['partitioned']>();
  const partitioned = new Set<string>();
  for (const query of inspected) {
    const analysed = all.get(basename(query.file));
    const report: Report = (fault, name = '', offset) => {
      const place = offset === undefined ? { file: query.file } : inFile(query, offset);
      const message = `warming.incremental: ${rules.faults[fault].replace('{name}', name)}`;
      faults.push({ ...place, message });
    };
    if (analysed === undefined || analysed instanceof GoogleSqlError) {
      report('notAnalysed', analysed?.message ?? 'the query cannot be analysed');
      continue;
    }
    for (const { source } of namedIn(query.sql, analysed)) {
      sources.set(JSON.stringify(queriedTable(source)), queriedTable(source));
    }
    for (const { table } of analysed.references) {
      if (timeColumn(table.source) !== undefined)
        partitioned.add(JSON.stringify(queriedTable(table.source)));
    }
    if (analysed.whole !== undefined) report('anyType');
    const impure = analysed.analysis.uses.find(
      ({ kind, name }) =>
        kind !== 'own' && !CLOCKS.test(name) && (kind === 'other' || !PURE.has(name)),
    );
    if (impure !== undefined) report('impure', impure.name.toUpperCase());
    if (basename(query.file) === 'query.sql') faultsOfQuery(endpoint, analysed, report);
    else faultsOfWarm(endpoint, query, analysed, report);
  }
  const spans = bucketParameters(endpoint).map((parameters) => spanOf(endpoint, parameters));
  const file = inspected[0]?.file.replace(/query\.sql$/, 'endpoint.json') ?? '';
  if (endpoint.bucket === undefined || spans.includes(undefined)) {
    const message =
      'warming.incremental needs bucket with step and window, each of seconds, minutes, hours or days; a step divides a day';
    faults.push({ file, pointer: '/bucket', message });
  }
  const [key] = partitioned;
  if (partitioned.size !== 1 || key === undefined) {
    const names = [...partitioned].map((one) => (JSON.parse(one) as { table: string }).table);
    const found = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
    const message = `warming.incremental needs one table that is partitioned by a TIMESTAMP column, but ${found}`;
    faults.push({ file, pointer: '/warming/incremental', message });
    return { incremental: undefined, faults };
  }
  const others = [...sources].filter(([name]) => name !== key).map(([, source]) => source);
  const main = sources.get(key);
  return { incremental: main && { partitioned: main, others }, faults };

  function faultsOfQuery(
    { bucket }: Endpoint,
    { resolved, references, analysis }: AnalysedQuery,
    report: Report,
  ): void {
    const scans = references.filter(({ table }) => timeColumn(table.source) !== undefined);
    if (scans.length > 1) report('readTwice', '', scans[1]?.scan.offset);
    const [statement] = tree.nodesIn({ resolved });
    const nodes = tree.withNodesBelow(statement);
    const columns = trace(statement, references);
    const refTo = (column: unknown): ResolvedNode => ({ kind: 'ColumnRef', message: { column } });
    const isBucket = (one: unknown): boolean =>
      columns.lengthsOf(refTo(tree.messageOf(one)?.['column'])).length > 0;
    if (columns.hasOtherClock(analysis)) report('otherClock');
    for (const node of nodes) {
      const { kind, message } = node;
      const isRead = (): boolean => columns.readsPartitions(node);
      if (kind === 'AnalyticScan' || kind === 'LimitOffsetScan') {
        if (isRead()) report(kind);
      } else if (kind.endsWith('Scan') && !BY_ROW.has(kind)) report('otherScan', kind);
      if (kind === 'SubqueryExpr' && isRead()) report('subquery');
      if (kind === 'SetOperationScan' && message['opType'] !== 'UNION_ALL') report('setOperation');
      if (kind === 'AggregateScan' && isRead()) {
        const hasSets = tree.listOf(message, 'groupingSetList').length > 0;
        if (hasSets || !tree.listOf(message, 'groupByList').some(isBucket)) report('groups');
      }
      if (kind === 'JoinScan') {
        const sides = ['leftScan', 'rightScan'].map((side) => tree.childOf(message, side));
        if (sides.some(columns.isAggregated)) report('joinOfGroups');
        if (sides.every(columns.readsPartitions)) report('selfJoin');
        // Without a row of the table on the other side, the row would be of no bucket.
        const outer = message['joinType'];
        const kept = outer === 'LEFT' ? sides[1] : outer === 'RIGHT' ? sides[0] : undefined;
        if (outer === 'FULL' || columns.readsPartitions(kept)) report('outerJoin');
      }
    }
    const name = bucket?.column ?? 'the bucket';
    const outputs = tree.listOf(statement?.message, 'outputColumnList').map(tree.messageOf);
    const output = outputs.find((one) => one?.['name'] === bucket?.column)?.['column'];
    const lengths = columns.lengthsOf(refTo(output));
    if (lengths.length === 0) report('notTruncated', name);
    else if (lengths.some((ms) => !stepsOf(bucket).includes(ms))) report('otherLength', name);
    const order = tree.childOf(statement?.message, 'query');
    const outermost = order?.kind === 'WithScan' ? tree.childOf(order.message, 'query') : order;
    const [first] = tree.listOf(outermost?.message, 'orderByItemList').map(tree.messageOf);
    const reference = tree.messageOf(first?.['columnRef']);
    const ordered = refTo((tree.nodeOf(reference)?.message ?? reference)?.['column']);
    const isOrdered =
      outermost?.kind === 'OrderByScan' &&
      first?.['isDescending'] !== true &&
      String(columns.lengthsOf(ordered)) === String(lengths) &&
      columns.originOf(ordered) === columns.originOf(refTo(output));
    if (!isOrdered) report('order', name);
  }

  function faultsOfWarm(
    { bucket, warming, parameters }: Endpoint,
    query: InspectedQuery,
    { analysis }: AnalysedQuery,
    report: Report,
  ): void {
    const used = new Set(parametersOf(query.sql).map(({ name }) => name));
    const missing = scanNames({ warming, bucket }).filter((name) => !used.has(name));
    for (const name of missing) report('unused', name);
    const taken = scanNames({ warming, bucket }).filter((name) => name in parameters);
    for (const name of taken) report('taken', name);
    const clock = analysis.uses.find(({ name }) => CLOCKS.test(name));
    if (clock !== undefined) report('clockOfWarm', clock.name.toUpperCase(), clock.offset);
  }

  /** Traces columns to the partition column of the partitioned table. */
  function trace(statement: ResolvedNode | undefined, references: AnalysedQuery['references']) {
    const find = (fullName: string) =>
      references.find(({ table }) => table.fullName === fullName)?.table.source;
    const expressions = tree.computedColumns(statement);
    const queries = tree.withQueriesIn(statement);
    const times = new Set<string>();
    for (const node of tree.withNodesBelow(statement).filter(({ kind }) => kind === 'TableScan')) {
      const name = timeColumn(find(tree.tableOf(node)));
      for (const { columnId, name: own } of tree.columnsOf(node)) {
        if (name?.toLowerCase() === own.toLowerCase()) times.add(columnId);
      }
    }
    return { lengthsOf, originOf, hasOtherClock, readsPartitions, isAggregated };

    /**
     * Whether it depends on no parameter but those whose values are all known: `windowFaults` tries each. It does not try lists
     * of them, nor a call without the parameter.
     */
    function isOfListed(node: ResolvedNode): boolean {
      return tree.withNodesBelow(node).every(({ kind, message }) => {
        const name = kind === 'Parameter' && String(tree.fieldOf(message, 'name')).toLowerCase();
        const isListed = ([own, one]: [string, ParameterDefinition]): boolean =>
          own.toLowerCase() === name &&
          one.enum !== undefined &&
          (one.required || one.default !== undefined) &&
          isScalarType(one.type ?? 'STRING');
        return name === false || Object.entries(endpoint.parameters).some(isListed);
      });
    }

    function isTime(node: ResolvedNode | undefined): boolean {
      const columnId = tree.columnIdOf(node);
      if (columnId === '') return false;
      return times.has(columnId) || isTime(expressions.get(columnId));
    }

    /**
     * In milliseconds, of TIMESTAMP_TRUNC(time, HOUR), the same as a DATETIME or DATE, or a choice among such by what is no
     * column of a table; empty for anything else.
     */
    function lengthsOf(node: ResolvedNode | undefined): number[] {
      if (node === undefined) return [];
      if (node.kind === 'ColumnRef') return lengthsOf(expressions.get(tree.columnIdOf(node)));
      const isDate = tree.typeOf(node)?.typeKind === 'TYPE_DATE';
      const name = tree.functionOf(node) ?? '';
      const values = tree.argumentsOf(node);
      const [first, second] = values;
      if (name === 'timestamp_trunc' && values.length === 2) {
        return isTime(first) ? [LENGTHS.get(partOf(second) ?? '') ?? []].flat() : [];
      }
      const isCast = node.kind === 'Cast' && tree.childOf(node.message, 'format') === undefined;
      if (isCast || (['date', 'datetime', '$extract_date'].includes(name) && values.length === 1)) {
        const inner = isCast ? tree.childOf(node.message, 'expr') : first;
        if (isDate) return isTime(inner) || lengthsOf(inner).length > 0 ? [DAY_MS] : [];
        return lengthsOf(inner);
      }
      const { chosen = [], conditions = [] } = choiceOf(node);
      const lengths = chosen.map(lengthsOf);
      const isSound = lengths.every((one) => one.length > 0);
      return isSound && conditions.every(isConstant) ? lengths.flat() : [];
    }

    /** Whether `scan-windows.ts` knows which rows a bound of it leaves: it knows nothing of a choice, and not of all types. */
    function isSeen(node: ResolvedNode | undefined): boolean {
      if (node === undefined || isTime(node)) return node !== undefined;
      if (node.kind === 'ColumnRef') return isSeen(expressions.get(tree.columnIdOf(node)));
      const isSafe = tree.fieldOf(node.message, 'returnNullOnError') === true;
      const isDate = tree.typeOf(node)?.typeKind === 'TYPE_DATE' && !isSafe;
      const [first = tree.childOf(node.message, 'expr')] = tree.argumentsOf(node);
      const isBucket = lengthsOf(node).length === 1 && isSeen(first);
      return isBucket && (isDate || tree.functionOf(node) === 'timestamp_trunc');
    }

    /** What a bucket is made of by changes of its type alone. */
    function originOf(node: ResolvedNode | undefined): unknown {
      if (node?.kind === 'ColumnRef') {
        const columnId = tree.columnIdOf(node);
        const expression = expressions.get(columnId);
        return expression === undefined ? columnId : originOf(expression);
      }
      if (node?.kind === 'Cast') return originOf(tree.childOf(node.message, 'expr'));
      const isType = ['date', 'datetime', '$extract_date'].includes(tree.functionOf(node) ?? '');
      return isType ? originOf(tree.argumentsOf(node)[0]) : node?.message;
    }

    /** Whether the time is in more than filters of the partition column, and lists of buckets to which it is equal. */
    function hasOtherClock(analysis: AnalysedQuery['analysis']): boolean {
      const nodes = tree.withNodesBelow(statement);
      const isOfClock = clockIn(analysis, nodes);
      const allowed = new Set<unknown>();
      const allow = (node: ResolvedNode | undefined): void =>
        tree.withNodesBelow(node).forEach(({ message }) => allowed.add(message));
      const lists = new Map(listsOfTime(analysis, nodes));
      // A filter in a subquery decides a value of a row, and not which rows are read.
      for (const { kind, message } of nodes.filter(readsPartitions)) {
        const isWhere = kind === 'FilterScan' && !isAggregated(tree.childOf(message, 'inputScan'));
        if (!isWhere && kind !== 'JoinScan' && kind !== 'ArrayScan') continue;
        for (const one of tree.conjunctsOf(
          tree.childOf(message, isWhere ? 'filterExpr' : 'joinExpr'),
        )) {
          const name = tree.functionOf(one) ?? '';
          const values = tree.argumentsOf(one);
          const others = values.filter((value) => !isTime(value) && lengthsOf(value).length === 0);
          const isFirst = name === '$between' || isSeen(values[0]);
          const [bounded, ...limits] = isFirst ? values : values.toReversed();
          const isBound =
            isWhere && COMPARISONS.has(name) && isSeen(bounded) && limits.every(isEvaluated);
          const found = others.flatMap((each) => listOf(each) ?? []);
          const lengths = values.flatMap(lengthsOf);
          const isEqual =
            name === '$equal' &&
            found.length === others.length &&
            found.every((list) => isSeries(list, lengths));
          if (others.length === values.length || !(isBound || isEqual)) continue;
          if (![one, ...found].every(isOfListed)) continue;
          allow(one);
          if (isEqual) found.forEach(allow);
        }
      }
      const outputs = tree.listOf(statement?.message, 'outputColumnList').map(tree.messageOf);
      const refs = outputs.map((one) => ({ kind: 'ColumnRef', message: one ?? {} }));
      return [...nodes, ...refs].some(
        (node) => (isOfClock(node) || listOf(node)) && !allowed.has(node.message),
      );

      /** Whether a list has each bucket of a span: another one, such as today and a week ago, moves away from rows that are kept. */
      function isSeries(list: ResolvedNode, lengths: readonly number[]): boolean {
        if (!tree.withNodesBelow(list).some(isOfClock)) return true;
        const name = tree.functionOf(list);
        const [, , step, part] = tree.argumentsOf(list);
        if (name === 'generate_date_array' || name === 'generate_timestamp_array') {
          const ms = part === undefined ? DAY_MS : LENGTHS.get(partOf(part) ?? '');
          return (
            lengths.includes(ms ?? 0) &&
            (step === undefined || tree.literalOf(step, 'int64Value') === '1')
          );
        }
        const { chosen, conditions = [] } = choiceOf(list);
        if (chosen === undefined) return list.kind === 'FunctionCall' && name === undefined;
        const isOfTime = conditions.some((one) => tree.withNodesBelow(one).some(isOfClock));
        return !isOfTime && chosen.every((one) => isSeries(one, lengths));
      }

      function listOf(node: ResolvedNode | undefined): ResolvedNode | undefined {
        if (node?.kind !== 'ColumnRef') return undefined;
        const columnId = tree.columnIdOf(node);
        return lists.get(columnId) ?? listOf(expressions.get(columnId));
      }
    }

    function readsPartitions(node: ResolvedNode | undefined): boolean {
      return reaches(
        node,
        (one) => one.kind === 'TableScan' && timeColumn(find(tree.tableOf(one))) !== undefined,
      );
    }

    function isAggregated(node: ResolvedNode | undefined): boolean {
      return reaches(node, (one) => one.kind === 'AggregateScan' && readsPartitions(one));
    }

    function reaches(node: ResolvedNode | undefined, is: (node: ResolvedNode) => boolean): boolean {
      return tree.withNodesBelow(node).some((one) => {
        if (is(one)) return true;
        if (one.kind !== 'WithRefScan') return false;
        return reaches(queries.get(String(tree.fieldOf(one.message, 'withQueryName'))), is);
      });
    }
  }
}

const isClock = (node: ResolvedNode): boolean => CLOCKS.test(tree.functionOf(node) ?? '');

/** Whether a node is the time, or calls a function of the query whose body may have it. */
function clockIn({ uses }: AnalysedQuery['analysis'], nodes: readonly ResolvedNode[]) {
  const inBodies =
    uses.filter(({ name }) => CLOCKS.test(name)).length > nodes.filter(isClock).length;
  return (node: ResolvedNode): boolean =>
    isClock(node) || (inBodies && node.kind === 'FunctionCall' && !tree.functionOf(node));
}

/** By the column of its elements, each list that is made of the time. */
export function listsOfTime(
  analysis: AnalysedQuery['analysis'],
  nodes: readonly ResolvedNode[],
): [string, ResolvedNode][] {
  const isOfClock = clockIn(analysis, nodes);
  return nodes.flatMap(({ kind, message }): [string, ResolvedNode][] => {
    const array = kind === 'ArrayScan' ? tree.childOf(message, 'arrayExpr') : undefined;
    const { columnId = '' } = tree.columnOf(message['elementColumn']) ?? {};
    return array && tree.withNodesBelow(array).some(isOfClock) ? [[columnId, array]] : [];
  });
}

/** The values among which CASE or IF chooses, and what it chooses by. */
function choiceOf(node: ResolvedNode): { chosen?: ResolvedNode[]; conditions?: ResolvedNode[] } {
  const name = tree.functionOf(node) ?? '';
  const values = tree.argumentsOf(node);
  if (name !== '$case_with_value' && name !== '$case_no_value' && name !== 'if') return {};
  const start = name === '$case_with_value' ? 2 : 1;
  const { chosen = [], conditions = [] } = Object.groupBy(values, (_, at) =>
    at === values.length - 1 || (at >= start && (at - start) % 2 === 0) ? 'chosen' : 'conditions',
  );
  return { chosen, conditions };
}

const isConstant = (node: ResolvedNode): boolean => tree.columnRefs(node).length === 0;

/** Whether `scan-windows.ts` evaluates it: no column, no subquery, and no routine. */
function isEvaluated(node: ResolvedNode): boolean {
  return tree.withNodesBelow(node).every((one) => {
    const isCall = one.kind === 'FunctionCall' && tree.functionOf(one) !== undefined;
    return isCall || ['Cast', 'Literal', 'Parameter'].includes(one.kind);
  });
}

function stepsOf(bucket: Endpoint['bucket']): (number | undefined)[] {
  const { step = '' } = bucket ?? {};
  return (typeof step === 'string' ? [step] : Object.values(step.values)).map(durationMs);
}

/** The TIMESTAMP column by which a table is partitioned; not the time of ingestion. */
function timeColumn(table: Pick<PartitionedTable, 'definition' | 'fields'> | undefined) {
  const field = table?.definition?.partitioning?.field;
  const column = table?.fields.find(({ name }) => name === field);
  return column?.type === 'TIMESTAMP' ? field : undefined;
}
