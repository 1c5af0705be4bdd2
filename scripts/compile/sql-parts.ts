// Joins the texts of several files into one job, and finds the file from which a place in the job comes.

/** The text of a file without the white space around it. */
export interface SqlPart {
  file: string;
  text: string;
  /** Where `text` begins in the file, in UTF-16 code units. */
  offset: number;
}

const SEPARATOR = '\n\n';

export function partOf(file: string, content: string): SqlPart {
  return { file, text: content.trim(), offset: content.length - content.trimStart().length };
}

export function joinParts(parts: readonly SqlPart[]): string {
  return parts.map(({ text }) => text).join(SEPARATOR);
}

/** The place in a file of an offset into the joined parts of a query. */
export function inFile(query: { file: string; parts: readonly SqlPart[] }, offset: number) {
  let start = 0;
  for (const part of query.parts) {
    const end = start + part.text.length + SEPARATOR.length;
    if (offset < end || part === query.parts.at(-1)) {
      return { file: part.file, offset: part.offset + offset - start };
    }
    start = end;
  }
  return { file: query.file };
}
