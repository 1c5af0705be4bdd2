// The report of a run, which its steps add up: the meanings of the fields are in report.json.
import type { LiveEntry } from '../core/result-store.ts';
import { ServiceError } from '../core/errors.ts';
import fields from './report.json' with { type: 'json' };

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

export function reasonOf(error: unknown): string {
  return error instanceof ServiceError ? error.reason : 'INTERNAL';
}
