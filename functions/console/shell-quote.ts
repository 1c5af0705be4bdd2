// Quotes text for a POSIX shell: for the console's curl command, and for commands that scripts print.

/** The text as one word, whatever it contains. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
