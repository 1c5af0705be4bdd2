// Converts between instants and the date and time of day that a clock in a zone shows.
import { offWall, onWall } from '../chart/plan/zoned-time.ts';

const WALL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/;
const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/;

/** The IANA name of the zone of this machine. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** How people call a zone: `UTC`, `New York`. */
export function placeOf(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}

/** What the clock of the zone shows, as a field of date and time has it: without seconds that are zero. */
export function wallAt(ms: number, zone: string): string {
  return onWall(ms, zone).toISOString().slice(0, '2026-11-20T10:00:00'.length).replace(/:00$/, '');
}

export function timestampOf(ms: number): string {
  return new Date(ms).toISOString().replace('.000', '');
}

/** The instant at which the clock of the zone shows this, as a TIMESTAMP; any other text as it is. */
export function fromWall(text: string, zone: string): string {
  const wallMs = WALL.test(text) ? Date.parse(`${text}Z`) : NaN;
  return Number.isNaN(wallMs) ? text : timestampOf(offWall(wallMs, zone));
}

/** What the clock of the zone shows at a TIMESTAMP; empty for another form, such as with microseconds or without a zone. */
export function toWall(text: string, zone: string): string {
  const ms = ZONED.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms)) return '';
  const wall = wallAt(ms, zone);
  // A clock shows an hour of autumn twice: entered, it is the first one.
  return fromWall(wall, zone) === timestampOf(ms) ? wall : '';
}
