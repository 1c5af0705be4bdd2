// Formats an error as text for the log.

/** An error for the log, with the chain of its causes; never for a caller. */
export function describeError(error: unknown): string {
  const chain: string[] = [];
  let current = error;
  while (current instanceof Error && chain.length < 5) {
    chain.push(`${current.name}: ${current.message}`);
    current = current.cause;
  }
  return chain.join(' <- ') || 'not an Error';
}
