// Formats sizes for people.

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** `0 B`, `1.2 kB`, `32 kB`, `12 MB`: two digits at least. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const text = unit > 0 && value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0);
  return `${text} ${UNITS[unit]}`;
}
