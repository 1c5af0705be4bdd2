// Declares a case of an endpoint's tests: the rows of the tables, a request, and what is expected of its answer.
import type { Reason } from '../../../functions/core/errors.ts';
import type { EncodedRow } from '../../local-bigquery/index.ts';
import type { DefinitionFault } from '../../faults/definition-fault.ts';

export interface EndpointCase {
  /** The file, and the place of the case in its list. */
  file: string;
  index: number;
  name: string;
  /** What CURRENT_TIMESTAMP returns; undefined if the case does not say it. */
  nowMs: number | undefined;
  /** By the name of the table; all others are empty. */
  rows: ReadonlyMap<string, readonly EncodedRow[]>;
  /** The query string of the request. */
  parameters: string;
  /** Undefined if the case does not say it: then it cannot hold. */
  expected: ExpectedAnswer | undefined;
  /** A fault at the case. */
  fault: (message: string) => DefinitionFault;
}

/** A result is the rows as the wire writes them. */
export type ExpectedAnswer = { result: readonly unknown[] } | { reason: Reason };
