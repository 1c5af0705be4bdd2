// Stores of results and of refresh demands, in memory, whose outcomes the test controls.
import { ownBytes } from '../../../functions/core/bytes.ts';
import type {
  Entry,
  Found,
  LiveEntry,
  LivePage,
  Reader,
  RefreshStore,
  ResultStore,
  WarmRun,
  WriteOutcome,
} from '../../../functions/core/result-store.ts';

interface Call {
  method: 'get' | 'set' | 'touch' | 'refresh' | 'confirm' | 'listLive';
  /** Empty for `listLive`, which is called once for each page. */
  cacheKey: string;
}

export class FakeResultStore implements ResultStore {
  readonly entries = new Map<string, Entry>();
  /** Keys of listed documents that are not valid entries. */
  readonly unreadable: string[] = [];
  pageEntries = 1000;
  /** In the order in which they began, failed ones included. */
  readonly calls: Call[] = [];
  /** Awaited before each call: a test throws here, or delays the call. */
  before: (call: Call) => Promise<void> | void = () => undefined;

  async get(cacheKey: string): Promise<Entry | undefined> {
    await this.#begin({ method: 'get', cacheKey });
    const entry = this.entries.get(cacheKey);
    return entry === undefined ? undefined : { ...copy(entry), version: entry };
  }

  async set(cacheKey: string, entry: Entry): Promise<Exclude<WriteOutcome, 'gone'>> {
    await this.#begin({ method: 'set', cacheKey });
    return this.#write(cacheKey, entry);
  }

  async touch(
    cacheKey: string,
    lastReadAtMs: number,
    readers: readonly Reader[],
    version?: unknown,
  ): Promise<void> {
    await this.#begin({ method: 'touch', cacheKey });
    const entry = this.entries.get(cacheKey);
    if (entry === undefined) throw new Error(`No document to update: ${cacheKey}`);
    if (version !== undefined && version !== entry) return;
    this.entries.set(cacheKey, copy({ ...entry, lastReadAtMs, readers: [...readers] }));
  }

  async refresh({ cacheKey }: Pick<LiveEntry, 'cacheKey'>, entry: Entry): Promise<WriteOutcome> {
    await this.#begin({ method: 'refresh', cacheKey });
    const current = this.entries.get(cacheKey);
    if (current === undefined) return 'gone';
    const { lastReadAtMs, readers } = current;
    return this.#write(cacheKey, { ...entry, lastReadAtMs, readers });
  }

  async confirm(
    { cacheKey, computedAtMs }: Pick<LiveEntry, 'cacheKey' | 'computedAtMs'>,
    checkedAtMs: number,
    freshUntilMs: number,
  ): Promise<WriteOutcome> {
    await this.#begin({ method: 'confirm', cacheKey });
    const current = this.entries.get(cacheKey);
    if (current === undefined) return 'gone';
    const isOther = current.computedAtMs !== computedAtMs;
    if (isOther || (current.checkedAtMs ?? 0) > checkedAtMs) return 'superseded';
    this.entries.set(cacheKey, { ...current, checkedAtMs, freshUntilMs });
    return 'written';
  }

  async *listLive(sinceMs: number): AsyncGenerator<LivePage> {
    await this.#begin({ method: 'listLive', cacheKey: '' });
    const live = [...this.entries]
      .filter(([, entry]) => entry.lastReadAtMs >= sinceMs)
      .sort(([, a], [, b]) => b.lastReadAtMs - a.lastReadAtMs)
      .map(([cacheKey, entry]) => {
        const { body: _, bodyBytes: _size, etag: _etag, rowCount: _rows, ...rest } = copy(entry);
        const { truncated: _truncated, jobId: _job, bytesProcessed: _bytes, ...listed } = rest;
        return { ...listed, cacheKey, version: undefined };
      });
    yield { entries: live.splice(0, this.pageEntries), unreadable: [...this.unreadable] };
    while (live.length > 0) {
      await this.#begin({ method: 'listLive', cacheKey: '' });
      yield { entries: live.splice(0, this.pageEntries), unreadable: [] };
    }
  }

  /** Nothing is awaited between the comparison and the write. */
  #write(cacheKey: string, entry: Entry): Exclude<WriteOutcome, 'gone'> {
    const storedMs = this.entries.get(cacheKey)?.computedAtMs ?? -Infinity;
    if (storedMs > entry.computedAtMs) return 'superseded';
    if (storedMs < entry.computedAtMs) this.entries.set(cacheKey, copy(entry));
    return 'written';
  }

  async #begin(call: Call): Promise<void> {
    this.calls.push(call);
    await this.before(call);
  }
}

export class FakeRefreshStore implements RefreshStore {
  readonly demands = new Map<string, number>();
  lastRun: WarmRun | undefined;
  readonly findings: Partial<Found> = {};
  readonly #results: FakeResultStore;
  /** Awaited before each call: a test throws here, or delays the call. */
  before: (method: keyof RefreshStore) => Promise<void> | void = () => undefined;

  constructor(results: FakeResultStore) {
    this.#results = results;
  }

  async list(): Promise<ReadonlyMap<string, number>> {
    await this.before('list');
    return new Map(this.demands);
  }

  async demandedMs(endpointId: string): Promise<number | undefined> {
    await this.before('demandedMs');
    return this.demands.get(endpointId);
  }

  async withdraw(cacheKey: string, demandedMs: number): Promise<void> {
    await this.before('withdraw');
    const entry = this.#results.entries.get(cacheKey);
    if (entry === undefined || entry.computedAtMs >= demandedMs) return;
    const times = { computedAtMs: demandedMs, checkedAtMs: undefined, freshUntilMs: demandedMs };
    const withdrawn = { ...entry, ...times, sources: undefined };
    this.#results.entries.set(cacheKey, withdrawn);
  }

  async recordRun(run: WarmRun): Promise<void> {
    await this.before('recordRun');
    this.lastRun = run;
  }

  async found<Name extends keyof Found>(name: Name): Promise<Partial<Found>[Name]> {
    await this.before('found');
    return this.findings[name];
  }

  async recordFound<Name extends keyof Found>(name: Name, found: Found[Name]): Promise<void> {
    await this.before('recordFound');
    this.findings[name] = found;
  }
}

/** A copy, so that later changes of the object do not change the stored entry. */
function copy(entry: Entry): Entry {
  const { parameters, readers, body } = entry;
  return {
    ...entry,
    parameters: { ...parameters },
    readers: structuredClone(readers),
    body: ownBytes(body),
  };
}
