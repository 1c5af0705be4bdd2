// Splits a stream of bytes into lines of text.

const LINE_FEED = 0x0a;

/** A line is longer than allowed; thrown before the rest of it is read. */
export class LongLineError extends Error {}

/** The lines without their line feeds; the last one needs none. Throws `LongLineError`. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  lineBytesMax: number,
): AsyncGenerator<string> {
  /** The parts of a line whose end has not been read yet, and their length. */
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
    if (bytes > lineBytesMax) throw new LongLineError(`a line has over ${lineBytesMax} bytes`);
  };
  const take = () => {
    const line = Buffer.concat(parts).toString();
    parts = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}
