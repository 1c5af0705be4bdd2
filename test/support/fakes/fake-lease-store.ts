// A lease store in memory. Compare-and-set is atomic because it awaits nothing.
import type { Lease, LeaseState, LeaseStore } from '../../../functions/core/leases.ts';

interface Call {
  method: 'acquire' | 'read' | 'renew' | 'release';
  name: string;
}

export class FakeLeaseStore implements LeaseStore {
  readonly states = new Map<string, LeaseState>();
  /** In the order in which they began, failed ones included. */
  readonly calls: Call[] = [];
  /** Awaited before each call: a test throws here, or delays the call. */
  before: (call: Call) => Promise<void> | void = () => undefined;

  async acquire(
    name: string,
    owner: string,
    nowMs: number,
    untilMs: number,
  ): Promise<Lease | undefined> {
    await this.#begin({ method: 'acquire', name });
    const current = this.states.get(name);
    if (current !== undefined && current.untilMs > nowMs) return undefined;
    return this.#lease(name, this.#write(name, { owner, untilMs }));
  }

  async read(name: string): Promise<LeaseState | undefined> {
    await this.#begin({ method: 'read', name });
    const state = this.states.get(name);
    return state === undefined ? undefined : { ...state };
  }

  /** The identity of the last written object stands for the update time of a real store. */
  #lease(name: string, acquired: LeaseState): Lease {
    let written = acquired;
    const isLost = (): boolean => this.states.get(name) !== written;
    return {
      renew: async (untilMs) => {
        await this.#begin({ method: 'renew', name });
        if (isLost()) return false;
        written = this.#write(name, { ...written, untilMs });
        return true;
      },
      release: async (outcome) => {
        await this.#begin({ method: 'release', name });
        if (isLost()) return;
        if (outcome === undefined) this.states.delete(name);
        else written = this.#write(name, { owner: written.owner, untilMs: 0, outcome });
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
