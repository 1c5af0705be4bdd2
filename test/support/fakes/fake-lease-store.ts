// A lease store in memory. Compare-and-set is atomic because it awaits nothing.
import {
  type Charge,
  type Lease,
  type LeaseStart,
  type LeaseState,
  type LeaseStore,
  type LeasedQuery,
  type NamedQuery,
  leaseStart,
  leftQuery,
} from '../../../functions/core/leases.ts';

interface Call {
  method: 'acquire' | 'read' | 'renew' | 'record' | 'release' | 'bytesOf' | 'addBytes';
  name: string;
}

export class FakeLeaseStore implements LeaseStore {
  readonly states = new Map<string, LeaseState>();
  readonly dayBytes = new Map<string, number>();
  /** In the order in which they began, failed ones included. */
  readonly calls: Call[] = [];
  /** Awaited before each call: a test throws here, or delays the call. */
  before: (call: Call) => Promise<void> | void = () => undefined;

  async acquire(
    name: string,
    owner: string,
    nowMs: number,
    untilMs: number,
    query?: LeasedQuery,
  ): Promise<Lease | undefined> {
    await this.#begin({ method: 'acquire', name });
    const current = this.states.get(name);
    if (current !== undefined && current.untilMs > nowMs) return undefined;
    const start = leaseStart(query, current?.query, nowMs);
    return this.#lease(name, this.#write(name, { owner, untilMs, ...queryOf(start) }), start);
  }

  async read(name: string): Promise<LeaseState | undefined> {
    await this.#begin({ method: 'read', name });
    const state = this.states.get(name);
    return state === undefined ? undefined : { ...state };
  }

  queries(nowMs: number): Promise<NamedQuery[]> {
    const running = [...this.states].flatMap(([name, { query, untilMs }]) =>
      query !== undefined && query.endsAtMs > nowMs
        ? [{ name, query, isHeld: untilMs > nowMs }]
        : [],
    );
    return Promise.resolve(running);
  }

  async bytesOf(account: string, day: string): Promise<number> {
    await this.#begin({ method: 'bytesOf', name: account });
    return this.dayBytes.get(`${account}.${day}`) ?? 0;
  }

  async addBytes(charge: Charge): Promise<void> {
    await this.#begin({ method: 'addBytes', name: charge.account });
    this.#count(charge);
  }

  #count({ account, day, bytes }: Charge): void {
    const id = `${account}.${day}`;
    this.dayBytes.set(id, (this.dayBytes.get(id) ?? 0) + bytes);
  }

  /** The identity of the last written object stands for the update time of a real store. */
  #lease(name: string, acquired: LeaseState, start: LeaseStart): Lease {
    let written = acquired;
    const isLost = (): boolean => this.states.get(name) !== written;
    return {
      ...start,
      record: async (query, untilMs) => {
        await this.#begin({ method: 'record', name });
        if (isLost()) return false;
        // A copy: the caller goes on with its object.
        written = this.#write(name, { ...written, untilMs, query: { ...query } });
        return true;
      },
      renew: async (untilMs) => {
        await this.#begin({ method: 'renew', name });
        if (isLost()) return false;
        written = this.#write(name, { ...written, untilMs });
        return true;
      },
      release: async (outcome, keepsQuery, charge) => {
        await this.#begin({ method: 'release', name });
        if (charge !== undefined) this.#count(charge);
        if (isLost()) return;
        const { owner, query } = written;
        const kept = keepsQuery ? queryOf({ query: leftQuery(query, charge) }) : {};
        if (outcome === undefined && !keepsQuery) this.states.delete(name);
        else {
          const left = outcome === undefined ? {} : { outcome };
          written = this.#write(name, { owner, untilMs: 0, ...left, ...kept });
        }
      },
    };
  }

  #write(name: string, state: LeaseState): LeaseState {
    this.states.set(name, state);
    return state;
  }

  async #begin(call: Call): Promise<void> {
    this.calls.push(call);
    await this.before(call);
  }
}

function queryOf({ query }: Pick<LeaseStart, 'query'>) {
  return query === undefined ? {} : { query: { ...query } };
}
