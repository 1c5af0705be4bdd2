// Follows the rows of a partitioned table through the scans of a query.
import {
  type PartitionedTable,
  type ResolvedNode,
  partitionCondition,
  tree,
} from '../../local-bigquery/index.ts';
import type { AnalysedQuery } from '../analysed-query.ts';

export type Scans = ReturnType<typeof scansOf>;

export function scansOf({ resolved, references }: AnalysedQuery) {
  const [statement] = tree.nodesIn({ resolved });
  const nodes = tree.withNodesBelow(statement);
  const queries = tree.withQueriesIn(statement);
  const isPartitioned = (node: ResolvedNode): boolean => timeOf(node) !== undefined;
  /** The name of the partition column, by its id in each scan. */
  const times = new Map(
    nodes.flatMap((node) => {
      const time = timeOf(node)?.toLowerCase();
      const own = time === undefined ? [] : tree.columnsOf(node);
      return own.flatMap(({ columnId, name }) =>
        name.toLowerCase() === time ? [[columnId, name] as const] : [],
      );
    }),
  );
  return { statement, nodes, times, timeOf, inputsOf, readsPartitions, isAggregated };

  /** The TIMESTAMP column by which the table of a scan is partitioned. */
  function timeOf(node: ResolvedNode): string | undefined {
    if (node.kind !== 'TableScan') return undefined;
    const name = tree.tableOf(node);
    return timeColumn(references.find(({ table }) => table.fullName === name)?.table.source);
  }

  /** The scans from which a scan takes its rows. */
  function inputsOf({ kind, message }: ResolvedNode): ResolvedNode[] {
    const referred = kind === 'WithRefScan' && queries.get(String(message['withQueryName']));
    if (referred) return [referred];
    if (kind === 'WithScan') return [tree.childOf(message, 'query') ?? []].flat();
    return tree.nodesIn(message).filter((node) => node.kind.endsWith('Scan'));
  }

  function reaches(node: ResolvedNode | undefined, is: (node: ResolvedNode) => boolean): boolean {
    return tree
      .withNodesBelow(node)
      .some((one) => is(one) || (one.kind === 'WithRefScan' && reaches(inputsOf(one)[0], is)));
  }

  function readsPartitions(node: ResolvedNode | undefined): boolean {
    return reaches(node, isPartitioned);
  }

  function isAggregated(node: ResolvedNode | undefined): boolean {
    return reaches(node, (one) => one.kind === 'AggregateScan' && readsPartitions(one));
  }
}

/** The TIMESTAMP column by which a table is partitioned; not the time of ingestion. */
export function timeColumn(table: Pick<PartitionedTable, 'definition' | 'fields'> | undefined) {
  const field = table?.definition?.partitioning?.field;
  const column = table?.fields.find(({ name }) => name === field);
  return column?.type === 'TIMESTAMP' ? field : undefined;
}

/** The side of a join whose columns are NULL in rows without a match. */
export function optionalSide({ message }: ResolvedNode): ResolvedNode | undefined {
  const { joinType } = message;
  const side = joinType === 'LEFT' ? 'rightScan' : joinType === 'RIGHT' ? 'leftScan' : undefined;
  return side && tree.childOf(message, side);
}

/** The first table of which a batch reads all partitions, although `query.sql` does not. */
export function unboundTable(batch: AnalysedQuery, query: AnalysedQuery): string | undefined {
  return batch.references.find((reference, at) => {
    const own = query.references[at];
    return own && partitionCondition(own) && !partitionCondition(reference);
  })?.table.fullName;
}
