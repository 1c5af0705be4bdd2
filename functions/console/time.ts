// Parses instants, and formats instants and durations for people.

export type Zone = 'local' | 'utc';

/** Column types whose values are instants; DATETIME of these endpoints is UTC. */
export function isInstant(type: string): boolean {
  return type === 'TIMESTAMP' || type === 'DATETIME' || type === 'DATE';
}

/** Milliseconds since the epoch. */
export function parseInstant(type: string, text: string): number {
  if (type === 'TIMESTAMP') return Date.parse(text);
  return Date.parse(type === 'DATE' ? `${text}T00:00:00Z` : `${text}Z`);
}

/** `2026-11-20 10:00:00`; a DATE is the same day everywhere. */
export function formatInstant(type: string, text: string, zone: Zone): string {
  if (type === 'DATE') return text;
  return format(parseInstant(type, text), zone, 'second');
}

type Precision = 'day' | 'minute' | 'second';

const OPTIONS: Record<Precision, Intl.DateTimeFormatOptions> = {
  day: { day: 'numeric', month: 'short' },
  minute: { hour: '2-digit', minute: '2-digit' },
  second: {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  },
};
const formatters = new Map<string, Intl.DateTimeFormat>();

export function format(ms: number, zone: Zone, precision: Precision): string {
  const id = `${zone} ${precision}`;
  let formatter = formatters.get(id);
  if (formatter === undefined) {
    // Swedish writes ISO 8601; months have English names, as the rest of the page.
    formatter = new Intl.DateTimeFormat(precision === 'day' ? 'en-GB' : 'sv-SE', {
      ...OPTIONS[precision],
      ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
    });
    formatters.set(id, formatter);
  }
  return formatter.format(ms);
}

/** `9 s`, `2 min 14 s`, `1 h 5 min`. */
export function formatSpan(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts: [number, string][] = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor((whole % 3600) / 60), 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
