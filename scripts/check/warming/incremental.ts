// Finds out whether the rows of an endpoint can be kept while its newest buckets are computed anew.
import { basename } from 'node:path';
import { bucketParameters, spanOf } from '../../../functions/endpoints/bucket-span.ts';
import type { Endpoint, IncrementalSources } from '../../../functions/endpoints/endpoint.ts';
import { type InspectedQuery, scanNames } from '../../compile/inspect-endpoint.ts';
import { inFile } from '../../compile/routines.ts';
import type { CatalogueFault } from '../../faults/definition-fault.ts';
import { parametersOf } from '../../lexer/sql-text.ts';
import { GoogleSqlError, queriedTable, tree } from '../../local-bigquery/index.ts';
import {
  type AnalysedQueries,
  type AnalysedQuery,
  hasAnyType,
  offsetOf,
} from '../analysed-query.ts';
import { PURE, namedIn } from '../depends-on.ts';
import rules from './incremental-rules.json' with { type: 'json' };
import { type Scans, optionalSide, scansOf, timeColumn } from './partitioned-scans.ts';
import { type Report, faultsOfWindow } from './prove-window.ts';
import { CLOCKS } from './read-values.ts';

/** Scans that make rows of rows of the same bucket, or that pass them on. All others, known or not, are refused. */
const BY_ROW = new Set(rules.byRow);

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
  /** The partition column, by the name of the table in queries. */
  const partitioned = new Map<string, string>();
  const sound: { query: InspectedQuery; analysed: AnalysedQuery; report: Report }[] = [];
  for (const query of inspected) {
    const analysed = all.get(basename(query.file));
    const report: Report = (fault, name = '', node) => {
      const isThere = analysed && 'analysis' in analysed;
      const offset = node && isThere && offsetOf(analysed.analysis, node);
      const place = typeof offset === 'number' ? inFile(query, offset) : { file: query.file };
      const message = `warming.incremental: ${rules.faults[fault].replaceAll('{name}', name)}`;
      faults.push({ ...place, message });
    };
    if (analysed === undefined || analysed instanceof GoogleSqlError) {
      report('notAnalysed', analysed?.message ?? 'the query cannot be analysed');
      continue;
    }
    sound.push({ query, analysed, report });
    for (const { source } of namedIn(query.sql, analysed)) {
      sources.set(JSON.stringify(queriedTable(source)), queriedTable(source));
    }
    for (const { table } of analysed.references) {
      const column = timeColumn(table.source);
      // Of a view, that of the table behind it.
      const own = column && (table.source.definition?.columns?.[column] ?? column);
      if (own !== undefined) partitioned.set(JSON.stringify(queriedTable(table.source)), own);
    }
  }
  const file = inspected[0]?.file.replace(/query\.sql$/, 'endpoint.json') ?? '';
  const [[key, column] = []] = partitioned;
  if (partitioned.size !== 1 || key === undefined || column === undefined) {
    const names = [...partitioned.keys()].map(
      (one) => (JSON.parse(one) as { table: string }).table,
    );
    const found = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
    const message = `warming.incremental needs one table that is partitioned by a TIMESTAMP column, but ${found}`;
    faults.push({ file, pointer: '/warming/incremental', message });
    return { incremental: undefined, faults };
  }
  const spans = bucketParameters(endpoint).map((parameters) => spanOf(endpoint, parameters));
  if (endpoint.bucket === undefined || spans.includes(undefined)) {
    const message =
      'warming.incremental needs bucket with step and window, each of seconds, minutes, hours or days; a step divides a day';
    faults.push({ file, pointer: '/bucket', message });
    return { incremental: undefined, faults };
  }
  for (const { query, analysed, report } of sound) {
    if (hasAnyType(analysed.analysis)) report('anyType');
    const impure = analysed.analysis.uses.find(
      ({ kind, name }) =>
        kind !== 'own' && !CLOCKS.test(name) && (kind === 'other' || !PURE.has(name)),
    );
    if (impure !== undefined) report('impure', impure.name.toUpperCase());
    const isWarm = basename(query.file) === 'warm.sql';
    const before = faults.length;
    const scans = scansOf(analysed);
    if (isWarm) faultsOfWarm(endpoint, query, report);
    // In the bodies of functions too.
    const clock = analysed.analysis.uses.find(({ name }) => CLOCKS.test(name));
    if (isWarm && clock !== undefined) {
      const place = scans.nodes.find((node) => CLOCKS.test(tree.functionOf(node) ?? ''));
      report('clockOfWarm', clock.name.toUpperCase(), place);
    }
    faultsOfScans(scans, isWarm, report);
    if (faults.length > before) continue;
    for (const fault of faultsOfWindow({ endpoint, analysed, isWarm, scans })) report(...fault);
  }
  const others = [...sources].filter(([name]) => name !== key).map(([, source]) => source);
  const main = sources.get(key);
  return { incremental: main && { partitioned: main, column, others }, faults };
}

function faultsOfWarm(
  { bucket, warming, parameters }: Endpoint,
  query: InspectedQuery,
  report: Report,
): void {
  const used = new Set(parametersOf(query.sql).map(({ name }) => name));
  const names = scanNames({ warming, bucket });
  for (const name of names.filter((one) => !used.has(one))) report('unused', name);
  for (const name of names.filter((one) => one in parameters)) report('taken', name);
}

/** That each row of the result is made of rows of one bucket. What has other rows in `warm.sql` than `query.sql`, tests find. */
function faultsOfScans(scans: Scans, isWarm: boolean, report: Report): void {
  for (const node of scans.nodes) {
    const { kind, message } = node;
    const isRead = (): boolean => scans.readsPartitions(node);
    if (kind === 'SubqueryExpr' && isRead()) report('subquery', '', node);
    if (kind === 'JoinScan') {
      const sides = ['leftScan', 'rightScan'].map((side) => tree.childOf(message, side));
      if (!isWarm && sides.some(scans.isAggregated)) report('joinOfGroups', '', node);
      if (sides.every(scans.readsPartitions)) report('selfJoin', '', node);
      // Without a row of the table on the other side, the row would be of no bucket.
      const isFull = message['joinType'] === 'FULL';
      if (isFull || scans.readsPartitions(optionalSide(node))) report('outerJoin', '', node);
    }
    if (isWarm) continue;
    if (kind === 'AnalyticScan' || kind === 'LimitOffsetScan') {
      if (isRead()) report(kind, '', node);
    } else if (kind.endsWith('Scan') && !BY_ROW.has(kind)) report('otherScan', kind, node);
    if (kind === 'SetOperationScan' && message['opType'] !== 'UNION_ALL') {
      report('setOperation', '', node);
    }
    const hasSets = kind === 'AggregateScan' && tree.listOf(message, 'groupingSetList').length > 0;
    if (hasSets && isRead()) report('groups', '', node);
  }
}
