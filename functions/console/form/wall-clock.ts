// Converts between instants and the date and time of day that a clock in a zone shows.
import { offWall, offsetMs, onWall, timeOf } from '../chart/plan/zoned-time.ts';

const WALL = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`;
const ZONED = new RegExp(`^(${WALL})(?:Z|[+-]\\d\\d:\\d\\d)$`);
const MINUTE_MS = 60_000;

/** The IANA name of the zone of this machine. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** How people call a zone: `UTC`, `New York`. */
export function placeOf(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}

/** What the clock of the zone shows, to the second: `2026-11-20T10:00:00`. */
export function wallAt(ms: number, zone: string): string {
  return onWall(ms, zone).toISOString().slice(0, '2026-11-20T10:00:00'.length);
}

/** The same with its offset, as a TIMESTAMP is written. */
export function zonedAt(ms: number, zone: string): string {
  return wallAt(ms, zone) + offsetText(offsetMs(ms, zone), zone);
}

/** What the clock of the zone shows, with its offset then; any other text as it is. */
export function withOffset(text: string, zone: string): string {
  const wall = withSeconds(text);
  const wallMs = new RegExp(`^${WALL}$`).test(wall) ? Date.parse(`${wall}Z`) : NaN;
  if (Number.isNaN(wallMs)) return text;
  // A time that the clock leaves out in spring has the offset from before.
  return wall + offsetText(wallMs - offWall(wallMs, zone), zone);
}

/** A TIMESTAMP by the clock of the zone; undefined for a text that a field of date and time does not show in full. */
export function wallOf(text: string, zone: string): string | undefined {
  const [, wall] = ZONED.exec(text) ?? [];
  // As it was typed: a clock shows an hour twice, and offsets of long ago have seconds.
  if (wall === undefined || withOffset(wall, zone) === text) return wall;
  const ms = Date.parse(text);
  const shown = Number.isNaN(ms) ? '' : wallAt(ms, zone);
  return Date.parse(withOffset(shown, zone)) === ms ? shown : undefined;
}

/** A browser leaves out seconds that are zero. */
export function withSeconds(wall: string): string {
  return wall.length === '2026-11-20T10:00'.length ? `${wall}:00` : wall;
}

/** As a field of date and time has it. */
export function withoutSeconds(wall: string): string {
  return wall.replace(/^(.{16}):00$/, '$1');
}

function offsetText(aheadMs: number, zone: string): string {
  if (zone === 'UTC') return 'Z';
  // Old offsets have seconds.
  const ahead = new Date(Math.abs(aheadMs) + MINUTE_MS / 2);
  return (aheadMs < 0 ? '-' : '+') + timeOf(ahead, 'minute');
}
