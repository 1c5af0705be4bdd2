// What BigQuery bills for the bytes that a query reads, by its price for queries on demand.
import { MIN_BYTES_BILLED } from '../core/query-runner.ts';

const TIB = 2 ** 40;

/**
 * In US$. `bytes` are those of one table, or of each. No bytes cost nothing: BigQuery answers such a query from its metadata.
 * `pricePerTib` is in US$ (the setting PRICE_PER_TIB).
 */
export function costUsd(bytes: number | readonly number[], pricePerTib: number): number {
  const billed = [bytes].flat().map((read) => (read > 0 ? Math.max(read, MIN_BYTES_BILLED) : 0));
  return (billed.reduce((sum, read) => sum + read, 0) / TIB) * pricePerTib;
}
