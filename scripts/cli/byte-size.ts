// Reads a number of bytes with its unit from an option.
import { InvalidArgumentError } from '@commander-js/extra-typings';

const BYTES = new Map([
  ...['B', 'kB', 'MB', 'GB', 'TB'].map((unit, power) => [unit, 1000 ** power] as const),
  ...['KiB', 'MiB', 'GiB', 'TiB'].map((unit, index) => [unit, 1024 ** (index + 1)] as const),
]);

/** `50GB`, `1.5GiB`. A number without a unit is refused: 50 could be meant as 50 GB. */
export function parseByteSize(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,16}(?:\.\d{1,3})?) ?([a-zA-Z]+)$/.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (BYTES.get(unit) ?? NaN));
  if (bytes >= 1 && Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError(
    `Write a number with its unit (${[...BYTES.keys()].join(', ')}), such as 50GB or 10GiB.`,
  );
}

/** BigQuery bills more for any query. The setting WARM_BYTES_PER_DAY and `bytes_per_day` in infra/variables.tf have the same bound. */
const BYTES_PER_DAY_MIN = 10_000_000;

export function parseBytesPerDay(text: string): number {
  const bytes = parseByteSize(text);
  if (bytes >= BYTES_PER_DAY_MIN) return bytes;
  throw new InvalidArgumentError(
    'Write at least 10MB: BigQuery bills more than that for any query.',
  );
}
