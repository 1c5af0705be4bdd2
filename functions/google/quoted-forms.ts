// Lists the forms in which BigQuery's messages quote the value of a parameter.

/** GoogleSQL quotes this many bytes of a longer text, and then `...`. */
const QUOTED_BYTES_MAX = 32;

/** `value` is in canonical spelling. */
export function quotedForms(value: string): string[] {
  const texts = [value, firstBytes(value), ...civilSeconds(value)];
  const forms = texts.flatMap((text) => {
    const inAscii = escaped(text).replaceAll(/[^ -~]/gu, inOctal);
    return [text, text.replaceAll('\\', '\\\\'), escaped(text), inAscii];
  });
  return [...new Set(forms)];
}

/** `2026-11-20 10:00:00` of a DATETIME or a TIMESTAMP; else none. */
function civilSeconds(value: string): string[] {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/.exec(value) ?? [];
  return date === undefined ? [] : [`${date} ${time}`];
}

/** Without half a character at the end. */
function firstBytes(value: string): string {
  const { read } = new TextEncoder().encodeInto(value, new Uint8Array(QUOTED_BYTES_MAX));
  return value.slice(0, read);
}

/** As in a string literal of SQL. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\\'"]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
}

function inOctal(character: string): string {
  const bytes = [...Buffer.from(character)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
