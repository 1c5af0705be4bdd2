// Reads and writes the time in the name of a shard, such as 20261120.
import { type DatePart, periodOf, startOf } from './date-parts.ts';
import type { Shards } from './table-definition.ts';

type Format = Shards['format'];

const PARTS = { YYYY: 'YEAR', YYYYMM: 'MONTH', YYYYMMDD: 'DAY', YYYYMMDDHH: 'HOUR' } as const;

export function shardPart(format: Format): (typeof PARTS)[Format] & DatePart {
  return PARTS[format];
}

/** The name of the shard that holds an instant (microseconds since 1970), without its prefix. */
export function shardSuffix(format: Format, instant: bigint): string {
  return new Date(Number(instant / 1000n))
    .toISOString()
    .replaceAll(/[-T:]/g, '')
    .slice(0, format.length);
}

/** Whether names of shards, without their prefix, may begin so. */
export function isShardPrefix(format: Format, text: string): boolean {
  return /^\d*$/.test(text) && text.length <= format.length;
}

/** The first instant of a shard; undefined for a text that is not of the format. */
export function shardStart(format: Format, suffix: string): bigint | undefined {
  if (!/^\d+$/.test(suffix) || suffix.length !== format.length) return undefined;
  const [month = '01', day = '01', hour = '00'] = suffix.slice(4).match(/../g) ?? [];
  const ms = Date.parse(`${suffix.slice(0, 4)}-${month}-${day}T${hour}:00:00Z`);
  if (Number.isNaN(ms)) return undefined;
  const start = startOf(PARTS[format], periodOf(PARTS[format], BigInt(ms) * 1000n));
  // Date takes 30 February for 2 March.
  return shardSuffix(format, start) === suffix ? start : undefined;
}
