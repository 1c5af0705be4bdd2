// A lease store in memory. Compare-and-set is atomic because it awaits nothing.
import { type Debt, type Reserved, reservation } from '../../../functions/core/day-bytes.ts';
import {
  type Lease,
  type LeaseStart,
  type LeaseState,
  type LeaseStore,
  type NamedQuery,
  isHeld,
  leaseStart,
} from '../../../functions/core/leases.ts';

interface Call {
  method:
    | ('acquire' | 'read' | 'renew' | 'record' | 'release')
    | ('queries' | 'remove' | 'bytesOf' | 'reserve' | 'settle' | 'debts');
  name: string;
}

export class FakeLeaseStore implements LeaseStore {
  readonly states = new Map<string, LeaseState>();
  readonly dayBytes = new Map<string, number>();
  readonly open: Debt[] = [];
  /** In the order in which they began, failed ones included. */
  readonly calls: Call[] = [];
  /** Awaited before each call: a test throws here, or delays the call. */
  before: (call: Call) => Promise<void> | void = () => undefined;

  async acquire(
    name: string,
    { owner, untilMs, query }: LeaseState,
    nowMs: number,
  ): Promise<Lease | undefined> {
    await this.#begin({ method: 'acquire', name });
    const current = this.states.get(name);
    if (isHeld(current, nowMs)) return undefined;
    const start = leaseStart(query, current?.query, nowMs);
    return this.#lease(name, this.#write(name, { owner, untilMs, ...queryOf(start) }), start);
  }

  async read(name: string): Promise<LeaseState | undefined> {
    await this.#begin({ method: 'read', name });
    const state = this.states.get(name);
    return state === undefined ? undefined : { ...state };
  }

  async queries(nowMs: number): Promise<NamedQuery[]> {
    await this.#begin({ method: 'queries', name: '' });
    return [...this.states].flatMap(([name, version]) => {
      const { query, untilMs } = version;
      if (query === undefined || query.endsAtMs <= nowMs) return [];
      return [{ name, query, isHeld: isHeld({ untilMs }, nowMs), version }];
    });
  }

  async remove({ name, version }: NamedQuery): Promise<boolean> {
    await this.#begin({ method: 'remove', name });
    return this.states.get(name) === version && this.states.delete(name);
  }

  async bytesOf(account: string, day: string): Promise<number> {
    await this.#begin({ method: 'bytesOf', name: account });
    return this.dayBytes.get(`${account}.${day}`) ?? 0;
  }

  async reserve(debt: Debt, limitBytes: number): Promise<Reserved> {
    await this.#begin({ method: 'reserve', name: debt.account });
    const before = this.open.filter(({ account }) => account === debt.account);
    const billed = this.dayBytes.get(idOf(debt)) ?? 0;
    const reserved = reservation(debt, billed, before, limitBytes);
    if (reserved.isAdmitted) this.open.push(debt);
    return reserved;
  }

  async settle({ jobId, ...debt }: Debt, bytes: number): Promise<void> {
    await this.#begin({ method: 'settle', name: debt.account });
    const place = this.open.findIndex((one) => one.jobId === jobId);
    if (place === -1) return;
    this.open.splice(place, 1);
    this.dayBytes.set(idOf(debt), (this.dayBytes.get(idOf(debt)) ?? 0) + bytes);
  }

  async debts(): Promise<Debt[]> {
    await this.#begin({ method: 'debts', name: '' });
    return [...this.open];
  }

  /** The identity of the last written object stands for the update time of a real store. */
  #lease(name: string, acquired: LeaseState, start: LeaseStart): Lease {
    let written = acquired;
    const isLost = (): boolean => this.states.get(name) !== written;
    return {
      ...start,
      write: async (turn) => {
        const kind = idsOf(turn) === idsOf(written) ? 'renew' : 'record';
        await this.#begin({ method: turn.untilMs === 0 ? 'release' : kind, name });
        if (isLost()) return false;
        if (turn.untilMs === 0 && !turn.outcome && !turn.query) return this.states.delete(name);
        const { outcome } = turn;
        const left = { untilMs: turn.untilMs, ...(outcome && { outcome }), ...queryOf(turn) };
        written = this.#write(name, { owner: written.owner, ...left });
        return true;
      },
    };
  }

  /** The last one written comes last. */
  #write(name: string, state: LeaseState): LeaseState {
    this.states.delete(name);
    this.states.set(name, state);
    return state;
  }

  async #begin(call: Call): Promise<void> {
    this.calls.push(call);
    await this.before(call);
  }
}

const idOf = ({ account, day }: Pick<Debt, 'account' | 'day'>): string => `${account}.${day}`;

const idsOf = ({ query }: Pick<LeaseState, 'query'>): string =>
  [query?.requestId, query?.jobId, query?.isStarted].join();

/** A copy: the caller goes on with its object. */
function queryOf({ query }: Pick<LeaseState, 'query'>) {
  return query === undefined ? {} : { query: { ...query } };
}
