// Converts between instants and the date and time of day that a clock in a zone shows.
export type Zone = 'local' | 'utc';

interface ZonedText {
  /** Such as `2026-11-20T10:00:00`. */
  wall: string;
  /** `Z`, or such as `+01:00`. */
  offset: string;
}

const MINUTE_MS = 60_000;
const ZONED =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?:([Zz]| ?UTC)|([+-]\d\d:\d\d))$/;

/** What the clock of the zone shows, to the second. */
export function wallAt(ms: number, zone: Zone): string {
  const shift = zone === 'utc' ? 0 : new Date(ms).getTimezoneOffset() * MINUTE_MS;
  return new Date(ms - shift).toISOString().slice(0, '2026-11-20T10:00:00'.length);
}

/** The offset of the zone when its clock shows this; undefined if the text is not a date and time. */
export function offsetAt(wall: string, zone: Zone): string | undefined {
  const [asUtc, instant] = [Date.parse(`${wall}Z`), Date.parse(wall)];
  if (Number.isNaN(asUtc) || Number.isNaN(instant)) return undefined;
  // A time that the clock leaves out in spring has the offset from before.
  return zone === 'utc' ? 'Z' : offsetOf(asUtc - instant);
}

/** What the clock of the zone shows, with its offset. */
export function zonedAt(ms: number, zone: Zone): string {
  const wall = wallAt(ms, zone);
  const aheadMs = Date.parse(`${wall}Z`) - Math.floor(ms / 1000) * 1000;
  return wall + (zone === 'utc' ? 'Z' : offsetOf(aheadMs));
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

function offsetOf(aheadMs: number): string {
  const minutes = Math.round(Math.abs(aheadMs) / MINUTE_MS);
  const sign = aheadMs < 0 ? '-' : '+';
  return `${sign}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
