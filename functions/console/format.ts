// Formats sizes and times for people.

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** `0 B`, `1.2 kB`, `32 kB`, `12 MB`: two digits at least. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${Number(value.toFixed(digits))} ${UNITS[unit]}`;
}

/** Whole seconds: `9 s`, `2 min 14 s`, `1 h 5 min`. */
export function formatSpan(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const last = hours > 0 ? '' : `${whole % 60} s`;
  const words = [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`, last];
  return words.filter((word) => word && (word !== '0 s' || whole === 0)).join(' ');
}

export function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
