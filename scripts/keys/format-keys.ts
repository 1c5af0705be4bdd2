// Formats API keys as a text table with their rights and dates.
import { isValidKey } from '../../functions/keys/access.ts';
import type { ApiKey } from '../../functions/core/key-store.ts';
import { formatTable } from '../cli/table.ts';
import { type ListedKey, isManagedByTerraform } from './api-keys.ts';
import type { CopyReport } from './copy-keys.ts';

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

/** What a copy has done, in sentences. */
export function formatCopy(
  { copied, replaced, same, different, unreadable, stopped }: CopyReport,
  { from, to, isDryRun }: { from: string; to: string; isDryRun: boolean },
): string[] {
  const counts = [
    `${copied} ${isDryRun ? 'to copy' : 'copied'}`,
    `${same} there already`,
    ...(replaced > 0 ? [`${replaced} ${isDryRun ? 'to replace' : 'replaced'}`] : []),
    ...(different.length > 0 ? [`${different.length} different`] : []),
  ];
  const lines = [`From ${from} to ${to}: ${counts.join(', ')}.`];
  if (unreadable.length > 0) {
    lines.push(
      `Documents that are no keys and open nothing, copied as they are: ${unreadable.join(', ')}.`,
    );
  }
  if (stopped !== undefined) {
    lines.push(`Stopped at ${stopped.at}. A repeat continues there.`);
  }
  return lines;
}

/** An instant to the second, in UTC; `never` if there is none. */
export function formatTime(ms: number | undefined): string {
  return ms === undefined ? 'never' : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function stateOf(key: ApiKey, nowMs: number): string {
  if (isValidKey(key, nowMs)) return 'valid';
  return key.revokedAtMs === undefined ? 'expired' : 'revoked';
}
