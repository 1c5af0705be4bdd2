// Results in memory, with the outcomes of a real store under a test's control.
import type { Entry, LiveEntry, ResultStore } from '../../functions/core/ports.ts';

interface Call {
  method: 'get' | 'set' | 'touch' | 'refresh' | 'listLive';
  /** Empty for `listLive`. */
  cacheKey: string;
}

export class FakeResultStore implements ResultStore {
  readonly entries = new Map<string, Entry>();
  /** In the order in which they began, failed ones included. */
  readonly calls: Call[] = [];
  /** Awaited before a call does its work: a test throws here, or holds the call up. */
  before: (call: Call) => Promise<void> | void = () => undefined;

  async get(cacheKey: string): Promise<Entry | undefined> {
    await this.#begin({ method: 'get', cacheKey });
    const entry = this.entries.get(cacheKey);
    return entry === undefined ? undefined : copy(entry);
  }

  async set(cacheKey: string, entry: Entry): Promise<void> {
    await this.#begin({ method: 'set', cacheKey });
    this.entries.set(cacheKey, copy(entry));
  }

  async touch(cacheKey: string, lastReadAtMs: number, keyName: string): Promise<void> {
    await this.#begin({ method: 'touch', cacheKey });
    const entry = this.entries.get(cacheKey);
    if (entry === undefined) throw new Error(`No document to update: ${cacheKey}`);
    this.entries.set(cacheKey, { ...entry, lastReadAtMs, keyName });
  }

  async refresh(cacheKey: string, entry: Entry): Promise<void> {
    await this.#begin({ method: 'refresh', cacheKey });
    const current = this.entries.get(cacheKey);
    if (current === undefined) throw new Error(`No document to update: ${cacheKey}`);
    const { lastReadAtMs, keyName } = current;
    this.entries.set(cacheKey, copy({ ...entry, lastReadAtMs, keyName }));
  }

  async listLive(sinceMs: number, countMax: number): Promise<LiveEntry[]> {
    await this.#begin({ method: 'listLive', cacheKey: '' });
    return [...this.entries]
      .filter(([, entry]) => entry.lastReadAtMs >= sinceMs)
      .sort(([, a], [, b]) => b.lastReadAtMs - a.lastReadAtMs)
      .slice(0, countMax)
      .map(([cacheKey, entry]) => ({
        cacheKey,
        endpointId: entry.endpointId,
        endpoint: entry.endpoint,
        definitionDigest: entry.definitionDigest,
        parameters: { ...entry.parameters },
        keyName: entry.keyName,
        computedAtMs: entry.computedAtMs,
        freshUntilMs: entry.freshUntilMs,
        lastReadAtMs: entry.lastReadAtMs,
      }));
  }

  async #begin(call: Call): Promise<void> {
    this.calls.push(call);
    await this.before(call);
  }
}

/** Nobody changes a stored entry through the object that it was made of. */
function copy(entry: Entry): Entry {
  return { ...entry, parameters: { ...entry.parameters }, body: Buffer.from(entry.body) };
}
