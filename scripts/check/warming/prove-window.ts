// Proves, for each choice of listed parameters, that the buckets of a query are those of `bucket.step`, and its window `bucket.window`.
import { isDeepStrictEqual } from 'node:util';
import { isScalarType } from '../../../functions/core/parameter-type.ts';
import {
  type BucketSpan,
  bucketParameters,
  durationFor,
  spanOf,
} from '../../../functions/endpoints/bucket-span.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import { scanNames } from '../../compile/inspect-endpoint.ts';
import { type ResolvedNode, tree } from '../../local-bigquery/index.ts';
import type { AnalysedQuery } from '../analysed-query.ts';
import { listedText } from '../dry-run.ts';
import { type Bound, DAY, type Time, isNeverLater, isSeries, isTime } from './exact-times.ts';
import { shifted, timeOf, truncated } from './exact-times.ts';
import type rules from './incremental-rules.json';
import { followColumns, refTo } from './follow-columns.ts';
import type { Scans } from './partitioned-scans.ts';
import { CLOCKS, type Value, createReader, integer } from './read-values.ts';

/** Nodes that use the time if anything in them does, or what their columns are computed from. */
const USES = new Set(['ColumnRef', 'SubqueryExpr', 'AnalyticScan', 'LimitOffsetScan']);

interface Proof {
  endpoint: Endpoint;
  analysed: AnalysedQuery;
  isWarm: boolean;
  scans: Scans;
}

/** Reports a fault by its name in incremental-rules.json; `name` is what its text names, and its place that of the node. */
export type Report = (fault: keyof typeof rules.faults, name?: string, node?: ResolvedNode) => void;

type Fault = Parameters<Report>;

/** The faults of the first choice of listed parameters that has any. */
export function faultsOfWindow(proof: Proof): Fault[] {
  const { parameters, rules } = proof.endpoint;
  const faultsOf = createProof(proof);
  const choices = Object.entries(parameters).reduce((sets, [name, definition]) => {
    const { enum: listed, required, default: stated } = definition;
    if (listed === undefined || name in (sets[0] ?? {})) return sets;
    const rule = rules.get(name);
    const values = new Set([
      ...listed.map((text) => rule?.canonical(text) ?? text),
      ...(required || stated !== undefined ? [] : [rule?.read(undefined).value ?? null]),
    ]);
    return sets.flatMap((set) => [...values].map((value) => ({ ...set, [name]: value })));
  }, bucketParameters(proof.endpoint));
  for (const choice of choices) {
    const faults = faultsOf(choice);
    if (faults.length > 0) return faults;
  }
  return [];
}

function createProof({ endpoint, analysed, isWarm, scans }: Proof) {
  const { bucket, warming, parameters } = endpoint;
  const { statement, nodes, times } = scans;
  const query = tree.childOf(statement?.message, 'query');
  const ofService = isWarm ? scanNames({ warming, bucket }) : [];
  const [column = ''] = times.values();
  let choice: CanonicalParameters = {};
  const { bodies = new Map() } = analysed.analysis;
  const columns = followColumns(statement, bodies);
  const reader = createReader({ columns, times, valueOfParameter });
  const isClock = (node: ResolvedNode): boolean =>
    CLOCKS.test(tree.functionOf(node) ?? '') || ofService.includes(nameOf(node));
  const isOfClock = columns.dependsOn(isClock);
  const isOfTime = columns.dependsOn((node) => times.has(tree.columnIdOf(node)));
  const outputs = tree.listOf(statement?.message, 'outputColumnList').map(tree.messageOf);
  const output = outputs.find((one) => one?.['name'] === bucket?.column)?.['column'];
  /** What is in conditions that are bounds, and in lists of times with whose elements buckets are compared. */
  const allowed = new Set<unknown>();
  const allow = (node: ResolvedNode | undefined): void =>
    tree.withNodesBelow(node).forEach(({ message }) => allowed.add(message));

  return (chosen: CanonicalParameters): Fault[] => {
    choice = chosen;
    allowed.clear();
    const span = spanOf(endpoint, choice);
    if (span === undefined) return [];
    const listed = listedText(endpoint, choice).trim();
    const values = listed && ` (${listed})`;
    const faults: Fault[] = [];
    const report: Report = (...fault) => void faults.push(fault);
    faultsOfBucket(span, values, report);
    const ranges = rangesOf(query, report);
    if (!isWarm && ranges.length > 1) report('readTwice');
    const stray = faults.length === 0 ? strayClock() : undefined;
    if (stray) report('otherClock', '', columns.expressionOf(stray));
    if (faults.length > 0) return faults;
    const needs = neededRanges(endpoint, span, isWarm);
    const isRead = needs.every(({ is }) => ranges.filter(is).length === 1);
    if (isRead && ranges.length === needs.length) return [];
    const bounds = ranges.flat();
    const other = bounds.find((one) => !needs.some(({ isKnown }) => isKnown(one))) ?? bounds[0];
    const [step, window] = [bucket?.step, bucket?.window].map(
      (one) => one && durationFor(endpoint, one, choice),
    );
    const start = span.isWhole ? `TIMESTAMP_TRUNC(now - ${window}, ${step})` : `now - ${window}`;
    const added = isWarm ? ` AND ${column} >= @since` : '';
    const cut = needs.length > 1 ? `, and by UNION ALL that start AND ${column} < @until` : '';
    return [['window', `${column} >= ${start}${added}${cut}${values}`, other?.node]];
  };

  function faultsOfBucket({ stepMs }: BucketSpan, values: string, report: Report): void {
    const name = `${bucket?.column}${values}`;
    const node = refTo(output);
    const value = reader.valueOf(node);
    if (!isBucket(value)) report('notTruncated', name, columns.expressionOf(node));
    else if (value.unit !== stepMs * 1000) report('otherLength', name, columns.expressionOf(node));
    for (const { kind, message } of isWarm ? [] : nodes) {
      if (kind !== 'AggregateScan' || !scans.readsPartitions({ kind, message })) continue;
      const groups = tree.listOf(message, 'groupByList').map(tree.messageOf);
      const keys = groups.map((one) => reader.valueOf(refTo(one?.['column'])));
      if (!keys.some((key) => isBucket(key) && (stepMs * 1000) % key.unit === 0)) {
        report('groups', '', { kind, message });
      }
    }
    const outermost = query?.kind === 'WithScan' ? tree.childOf(query.message, 'query') : query;
    const item = tree.orderOf(outermost?.message)[isWarm ? 1 : 0];
    const isOrdered = !item?.isDescending && isDeepStrictEqual(reader.valueOf(item?.node), value);
    if (!isOrdered) {
      report('order', `${isWarm ? 'key, ' : ''}${bucket?.column}`, columns.expressionOf(node));
    }
  }

  /** The bounds of the rows that each scan of the partitioned table gives to the result. */
  function rangesOf(scan: ResolvedNode | undefined, report: Report): Bound[][] {
    if (scan === undefined) return [];
    const { kind, message } = scan;
    if (kind === 'TableScan') return scans.timeOf(scan) === undefined ? [] : [[]];
    const ranges = scans.inputsOf(scan).flatMap((input) => rangesOf(input, report));
    const isInner = message['joinType'] === 'INNER' || message['isOuter'] === false;
    const field = kind === 'FilterScan' ? 'filterExpr' : isInner ? 'joinExpr' : '';
    const conditions = ranges.length === 0 ? [] : tree.conjunctsOf(tree.childOf(message, field));
    const bounds = conditions.flatMap((node) => {
      // What does not depend on the present time is the same for rows that are kept.
      if (!isOfClock(node)) return [];
      const found = reader.boundsOf(node);
      if (found !== undefined) [node, ...found.map(({ list }) => list)].forEach(allow);
      else if (isOfTime(node)) report('filter', column, node);
      return found?.map((bound) => ({ ...bound, node })) ?? [];
    });
    return ranges.map((own) => [...own, ...bounds]);
  }

  /** A use of the time that decides more than a bound of the partition column. */
  function strayClock(): ResolvedNode | undefined {
    for (const { kind, message } of nodes) {
      // What is computed from it is found where its column is used. To group by one value does not group.
      const isGroup = kind !== 'ProjectScan';
      for (const one of tree.listOf(message, isGroup ? 'groupByList' : 'exprList')) {
        const expression = tree.nodeOf(tree.messageOf(one)?.['expr']);
        if (!isGroup || isOne(reader.valueOf(expression))) allow(expression);
      }
    }
    const items = nodes.flatMap(({ message }) => tree.orderOf(message).map(({ node }) => node));
    const returned = outputs.map((one) => refTo(one?.['column']));
    return [...nodes, ...returned, ...items].find((node) => {
      const isUse = USES.has(node.kind) || columns.bodyOf(node) !== undefined;
      return (isClock(node) || (isUse && isOfClock(node))) && !allowed.has(node.message);
    });
  }

  function valueOfParameter(name: string): Value {
    if (ofService.includes(name)) return timeOf(name as Time['of']);
    if (isWarm && name === 'keys') {
      const fields = warming?.batchOver.map((one) => () => valueOfParameter(one.toLowerCase()));
      // Nothing is known of the key itself.
      return { elements: { fields: [() => undefined, ...(fields ?? [])] } };
    }
    const [declared = '', definition] =
      Object.entries(parameters).find(([one]) => one.toLowerCase() === name) ?? [];
    const type = definition?.type ?? 'STRING';
    if (definition?.enum === undefined || !isScalarType(type)) return undefined;
    const value = choice[declared];
    if (typeof value !== 'string' || type === 'STRING') return value as string | null;
    return type === 'INT64' ? integer(value) : type === 'BOOL' ? value === 'true' : undefined;
  }
}

interface Needed {
  is: (found: readonly Bound[]) => boolean;
  isKnown: (one: Bound) => boolean;
}

/** What each scan of the table has to read: the window, of which `warm.sql` reads what is new, and apart from it the cut bucket. */
function neededRanges({ bucket, warming }: Endpoint, span: BucketSpan, isWarm: boolean): Needed[] {
  const [now, since, until] = [timeOf('now'), timeOf('since'), timeOf('until')];
  const begin = shifted(now, -span.windowMs * 1000);
  const start = (span.isWhole ? truncated(begin, span.stepMs * 1000) : undefined) ?? begin;
  const isWide = ({ side, at }: Bound): boolean =>
    side === 'from' ? isNeverLater(at, start) : isNeverLater(now, at);
  const needs = (own: Bound[], others: Bound[] = []): Needed => {
    const bounds = [{ side: 'from' as const, at: start }, ...own];
    const isIn = (all: readonly Bound[], { side, at }: Bound): boolean =>
      all.some((one) => one.side === side && isDeepStrictEqual(one.at, at));
    const isKnown = (one: Bound): boolean => isWide(one) || isIn([...bounds, ...others], one);
    return {
      is: (found) => bounds.every((one) => isIn(found, one)) && found.every(isKnown),
      isKnown,
    };
  };
  if (!isWarm) return [needs([])];
  const added = needs([{ side: 'from', at: since }]);
  if (span.isWhole) return [added];
  // Where windows differ, a job of short ones would otherwise read the longest one.
  const lastDay: Bound = { side: 'from', at: shifted(until, -DAY) };
  const { window } = bucket ?? {};
  const differs = typeof window === 'object' && warming?.batchOver.includes(window.parameter);
  const cut: Bound[] = [{ side: 'until', at: until }, ...(differs ? [lastDay] : [])];
  return [added, needs(cut, [lastDay, { side: 'until', at: since }])];
}

function nameOf({ kind, message }: ResolvedNode): string {
  return kind === 'Parameter' ? String(tree.fieldOf(message, 'name')).toLowerCase() : '';
}

/** Whether it is the start of an hour, a day… in UTC that has a row. */
function isBucket(value: unknown): value is Time {
  if (!isTime(value) || value.of !== 'row' || value.unit === 1) return false;
  return DAY % value.unit === 0 && value.before === 0 && value.after === 0;
}

/** Whether it is one value at any time, or each element of a list of times. */
function isOne(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return value !== undefined;
  return isTime(value) ? value.of !== 'row' : isSeries(value) || 'micros' in value;
}
