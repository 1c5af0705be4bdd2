// Declares what the local service needs of the BigQuery that it queries: the local one, or Google's.
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { Terminal } from '../cli/command.ts';
import type { Source } from '../sources/source.ts';
import type { Example } from './examples/find-example.ts';
import type { FollowingService } from './live/follow-sql.ts';

export interface Starting {
  /** Directory with endpoints/, routines/ and sources/. */
  sqlDirectory: string;
  endpoints: readonly Endpoint[];
  terminal: Terminal;
  /** Ends the service. */
  signal: AbortSignal;
  doing: (step: string) => void;
  /** Called at the end, in reverse order. */
  cleanUps: (() => Promise<void> | void)[];
}

export interface QueriedBigQuery {
  /** The value of BIGQUERY_EMULATOR_HOST for the functions. */
  emulatorHost: string | undefined;
  description: string;
  /** What each call costs, for the user; undefined if nothing. */
  costs: string | undefined;
  /** The values with which each endpoint is shown; an endpoint may be missing. */
  examples: ReadonlyMap<Endpoint, Example>;
  /** What the user should know of the rows and the endpoints. */
  notes: readonly string[];
  exampleOf(endpoint: Endpoint, sources: readonly Source[]): Promise<Example>;
  tables: FollowingService['bigquery'];
  readTable: FollowingService['readTable'];
}
