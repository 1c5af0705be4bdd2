// Converts between instants and the date and time of day that a clock in a zone shows.
import { offWall, offsetMs, onWall, timeOf } from '../chart/plan/zoned-time.ts';

interface ZonedText {
  /** Such as `2026-11-20T10:00:00`. */
  wall: string;
  /** `Z`, or such as `+01:00`. */
  offset: string;
}

const MINUTE_MS = 60_000;
const ZONED =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?:([Zz]| ?UTC)|([+-]\d\d:\d\d))$/;

/** The IANA name of the zone of this machine. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** How people call a zone: `UTC`, `New York`. */
export function placeOf(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}

/** What the clock of the zone shows, to the second. */
export function wallAt(ms: number, zone: string): string {
  return onWall(ms, zone).toISOString().slice(0, '2026-11-20T10:00:00'.length);
}

/** The offset of the zone when its clock shows this; undefined if the text is not a date and time. */
export function offsetAt(wall: string, zone: string): string | undefined {
  const wallMs = Date.parse(`${wall}Z`);
  if (Number.isNaN(wallMs)) return undefined;
  // A time that the clock leaves out in spring has the offset from before.
  return offsetText(wallMs - offWall(wallMs, zone), zone);
}

/** What the clock of the zone shows, with its offset. */
export function zonedAt(ms: number, zone: string): string {
  return wallAt(ms, zone) + offsetText(offsetMs(ms, zone), zone);
}

/** The parts of a TIMESTAMP with a zone; undefined for what a field of date and time does not show in full. */
export function parseZoned(text: string): ZonedText | undefined {
  const [, date, time, utc, offset] = ZONED.exec(text) ?? [];
  if (date === undefined || time === undefined) return undefined;
  return {
    wall: withSeconds(`${date}T${time}`),
    offset: utc === undefined ? (offset ?? 'Z') : 'Z',
  };
}

/** A browser leaves out seconds that are zero. */
export function withSeconds(wall: string): string {
  return wall.length === '2026-11-20T10:00'.length ? `${wall}:00` : wall;
}

/** The instant of a TIMESTAMP by the clock of the zone; undefined for a text that a field of date and time does not show in full. */
export function wallOf(text: string, zone: string): string | undefined {
  const { wall, offset } = parseZoned(text) ?? {};
  const ms = Date.parse(`${wall}${offset}`);
  if (ms % 1000 !== 0) return undefined;
  const shown = wallAt(ms, zone);
  // Not in the hour that a clock shows twice, nor in years of long ago.
  return Date.parse(withOffset(shown, zone)) === ms ? shown : undefined;
}

/** What the clock of the zone shows, with its offset; any other text as it is. */
export function withOffset(text: string, zone: string): string {
  const { wall } = parseZoned(`${text}Z`) ?? {};
  return wall === undefined ? text : wall + (offsetAt(wall, zone) ?? 'Z');
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
