// Formats API keys as a text table with their rights and dates.
import { isValidKey } from '../../functions/keys/access.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { formatTable } from '../cli/table.ts';
import { type ListedKey, isManagedByTerraform } from './api-keys.ts';

const HEADER = ['NAME', 'ENDPOINTS', 'PARAMETERS', 'CREATED', 'EXPIRES', 'STATE', 'ID'];

export function formatKeys(keys: readonly ListedKey[], nowMs: number): string {
  const rows = keys.map(({ id, key }) => [
    key.name,
    key.endpoints.join(','),
    Object.entries(key.parameters ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, allowed]) => `${name}=${allowed.join(',')}`)
      .join(' ') || 'any',
    isManagedByTerraform(key) ? 'by Terraform' : formatTime(key.createdAtMs),
    formatTime(key.expiresAtMs),
    stateOf(key, nowMs),
    id,
  ]);
  return formatTable([HEADER, ...rows]);
}

/** An instant to the second, in UTC; `never` if there is none. */
export function formatTime(ms: number | undefined): string {
  return ms === undefined ? 'never' : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function stateOf(key: ApiKey, nowMs: number): string {
  if (isValidKey(key, nowMs)) return 'valid';
  return key.revokedAtMs === undefined ? 'expired' : 'revoked';
}
