// A key store in memory whose outcomes the test controls.
import { createHash } from 'node:crypto';
import type { ApiKey } from '../../../functions/core/key-store.ts';
import type { KeyRegister } from '../../../scripts/keys/key-register.ts';

export class FakeKeyStore implements Pick<KeyRegister, 'get' | 'set'> {
  readonly keys = new Map<string, ApiKey>();
  /** Digests that were looked up, in order, failed lookups included. */
  readonly lookups: string[] = [];
  /** Awaited before each look-up: a test throws here, or delays the look-up. */
  before: (digest: string) => Promise<void> | void = () => undefined;

  async get(digest: string): Promise<ApiKey | undefined> {
    this.lookups.push(digest);
    await this.before(digest);
    const key = this.keys.get(digest);
    return key === undefined ? undefined : structuredClone(key);
  }

  set(digest: string, key: ApiKey): Promise<void> {
    this.keys.set(digest, structuredClone(key));
    return Promise.resolve();
  }

  /** Stores a key under the digest of its secret, as the script that makes keys does. */
  add(secret: string, key: Partial<ApiKey> = {}): void {
    const digest = createHash('sha256').update(secret).digest('hex');
    this.keys.set(digest, { name: 'test', endpoints: ['*'], ...key });
  }
}
