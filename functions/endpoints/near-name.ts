// Finds the known name that a caller probably meant by an unknown one.

/** No name of a parameter is longer, with what clients and typing errors add to it. */
const LENGTH_MAX = 80;

/**
 * Undefined if none is near. Names are near if they differ only in letter case, in characters such as `_` and `-`, in
 * a final `s`, in what clients add (`ids[]`, `amp;id`), or in one or two typing errors; names of one letter only in case.
 */
export function nearName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  const text = name.toLowerCase();
  const exact = known.find((candidate) => candidate.toLowerCase() === text);
  if (exact !== undefined) return exact;
  const word = bare(text.replace(/^(?:amp;)+/, '').replace(/\[\d*\]$/, ''));
  const words = known.map((candidate) => bare(candidate.toLowerCase()));
  for (const edits of [0, 1, 2]) {
    const near = words.findIndex((candidate) => isNear(word, candidate, edits));
    if (near >= 0) return known[near];
  }
  return undefined;
}

function bare(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}

function isNear(a: string, b: string, edits: number): boolean {
  const shorter = Math.min(a.length, b.length);
  if (shorter < 2 || Math.abs(a.length - b.length) > edits) return false;
  // Among short words, one letter makes another word.
  const editsMax = shorter >= 8 ? 2 : shorter >= 4 ? 1 : 0;
  const isPlural = edits === 1 && (a === `${b}s` || b === `${a}s`);
  return isPlural || (edits <= editsMax && isWithin(a, b, edits));
}

/** Whether at most `edits` letters that are added, left out, replaced, or swapped with the next make `b` of `a`. */
function isWithin(a: string, b: string, edits: number): boolean {
  if (a === b) return true;
  if (edits === 0) return false;
  let same = 0;
  while (a[same] === b[same]) same += 1;
  const [x, y] = [a.slice(same), b.slice(same)];
  const isSwapped = x.length > 1 && x[0] === y[1] && x[1] === y[0];
  return (
    isWithin(x.slice(1), y, edits - 1) ||
    isWithin(x, y.slice(1), edits - 1) ||
    isWithin(x.slice(1), y.slice(1), edits - 1) ||
    (isSwapped && isWithin(x.slice(2), y.slice(2), edits - 1))
  );
}
