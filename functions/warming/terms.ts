// Declares what all steps of a run of warming have, and the report that they add up: the meanings of its fields are in report.json.
import type { LiveEntry } from '../core/result-store.ts';
import type { Backends } from '../core/services.ts';
import type { RunningQueries } from '../cache/running-query.ts';
import type { Catalogue } from '../endpoints/catalogue.ts';
import type { Ask } from './ask-tables.ts';
import fields from './report.json' with { type: 'json' };

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
  demands: ReadonlyMap<string, number>;
  /** No further job is started once it returns true: another run has taken over, or the instance is being stopped. */
  isOver: () => boolean;
}

type Failed = { endpoint: string; parameters: LiveEntry['parameters']; reason: string };

/** `npm run docs` writes its fields to docs/reference/caching.md. */
export type WarmReport = Record<Exclude<keyof typeof fields, 'listingCut' | 'failed'>, number> & {
  listingCut: boolean;
  failed: Failed[];
};

/** The report of one step: what it leaves out is 0. */
export type Part = Partial<WarmReport>;

export function addUp(...parts: Part[]): WarmReport {
  const counts = Object.keys(fields).map((name) => {
    const numbers = parts.map((part) => Number(part[name as keyof WarmReport] ?? 0));
    return [name, numbers.reduce((sum, one) => sum + one, 0)];
  });
  return {
    ...(Object.fromEntries(counts) as WarmReport),
    listingCut: parts.some(({ listingCut }) => listingCut),
    failed: parts.flatMap(({ failed = [] }) => failed),
  };
}

export function failure({ endpoint, parameters }: LiveEntry, reason: string): Failed {
  return { endpoint, parameters, reason };
}
