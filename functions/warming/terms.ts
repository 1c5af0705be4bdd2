// Declares what all steps of a run of warming have.
import type { Backends } from '../core/services.ts';
import type { RunningQueries } from '../cache/running-query.ts';
import type { Catalogue } from '../endpoints/catalogue.ts';
import type { Ask } from './ask-tables.ts';

export interface WarmRunDeps extends Backends {
  runningQueries: RunningQueries;
  ask: Ask;
  catalogue: Pick<Catalogue, 'endpoints'>;
}

export interface Run extends WarmRunDeps {
  startedMs: number;
  /** The end of its budget of time. */
  untilMs: number;
  /** See `RefreshStore`. */
  demandedMs: ReadonlyMap<string, number>;
  /** No further job is started once it returns true: another run has taken over, or the instance is being stopped. */
  isOver: () => boolean;
}
