// Adds up whole numbers and decimals, of which binary fractions would lose digits.

const DECIMAL = /^(-?\d+)(?:\.(\d+))?$/;

/** The sum, with the most decimals that a value has; undefined without values. Anything else than a decimal is left out. */
export function addUp(values: readonly unknown[]): string | undefined {
  const known = values.flatMap((value) => {
    const [, whole, fraction = ''] = DECIMAL.exec(String(value)) ?? [];
    return whole === undefined ? [] : [{ whole, fraction }];
  });
  if (known.length === 0) return undefined;
  const decimals = known.reduce((most, { fraction }) => Math.max(most, fraction.length), 0);
  const sum = known.reduce(
    (total, { whole, fraction }) => total + BigInt(whole + fraction.padEnd(decimals, '0')),
    0n,
  );
  if (decimals === 0) return String(sum);
  const digits = String(sum < 0n ? -sum : sum).padStart(decimals + 1, '0');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** A decimal with the other sign, as text. */
export function negated(value: unknown): string {
  return `-${String(value)}`.replace('--', '');
}
