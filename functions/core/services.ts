// Declares what the parts of the functions share: the settings, and what index.ts builds once.
import type { Config } from '../config.ts';
import type { Clock } from './clock.ts';
import type { KeyStore } from './key-store.ts';
import type { LeaseStore } from './leases.ts';
import type { QueryRunner } from './query-runner.ts';
import type { RefreshStore, ResultStore } from './result-store.ts';

export type Severity = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';

/** Structured log; one call is one line. Fields never contain keys or parameter values; `error` may be what was thrown. */
export interface Log {
  write(severity: Severity, message: string, fields?: Record<string, unknown>): void;
}

interface Services extends Omit<Config, 'catalogue'> {
  clock: Clock;
  log: Log;
  queryRunner: QueryRunner;
  keyStore: KeyStore;
  leaseStore: LeaseStore;
  refreshStore: RefreshStore;
  resultStore: ResultStore;
  collectGarbage: () => void;
  /** An instance that is being stopped starts no query, and leaves no lease for one. If absent, no request is cut short. */
  shutdown?: { isStopping: () => boolean; inTime: <T>(work: Promise<T>) => Promise<T> };
}

/** What a part takes of them. */
export type Uses<Name extends keyof Services> = Pick<Services, Name>;

/** All that the cache and warming take. */
export type Backends = Omit<Services, 'keyStore'>;
