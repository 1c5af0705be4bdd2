// Markdown of tables and code.

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text that stays as it is, in back-ticks; empty for an empty text. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}
