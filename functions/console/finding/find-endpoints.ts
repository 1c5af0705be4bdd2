// Finds endpoints by what the user types: by name, description, column or parameter.

interface Findable {
  name: string;
  description: string;
  parameters: readonly { name: string }[];
  row: readonly { name: string }[];
}

/** A piece of a text; the matched ones are marked. */
export interface Part {
  text: string;
  isMatch: boolean;
}

export interface Found<E> {
  endpoint: E;
  name: Part[];
  /** The text in which a word was found that the name lacks; otherwise the description. */
  note: Part[];
}

interface Field {
  /** The part of the note before the text. */
  label: string;
  text: string;
  scores: Scores;
}

/** A lower score comes first: found at the start, after a dot, at the start of a word, inside of one. */
type Scores = readonly [start: number, afterDot: number, word: number, inside: number];

const NAME: Scores = [0, 1, 2, 3];
const TERM: Scores = [4, 4, 4, 6];
const DESCRIPTION: Scores = [5, 5, 5, 6];

/** From this place on, a match may be out of view on one line. */
const FAR = 40;
const BEFORE_MATCH = 16;

/**
 * Those that have every word of the query, the best first: a name that starts with it, with or without its group, a
 * name with a word that starts with it, other names, then columns, parameters and descriptions. Those that fit equally
 * keep their order.
 */
export function findEndpoints<E extends Findable>(
  endpoints: readonly E[],
  query: string,
): Found<E>[] {
  const words = query.split(/\s+/).filter((word) => word !== '');
  return endpoints
    .map((endpoint) => find(endpoint, words.map(patternOf)))
    .filter((found) => found !== undefined)
    .sort((a, b) => a.score - b.score)
    .map(({ endpoint, note }) => ({
      endpoint,
      name: mark(endpoint.name, words),
      note: noteOf(note, words),
    }));
}

function find<E extends Findable>(
  endpoint: E,
  patterns: readonly string[],
): { endpoint: E; score: number; note: Field } | undefined {
  const name = { label: '', text: endpoint.name, scores: NAME };
  const description = { label: '', text: endpoint.description, scores: DESCRIPTION };
  const fields: Field[] = [
    name,
    ...endpoint.row.map(({ name: text }) => ({ label: 'Column ', text, scores: TERM })),
    ...endpoint.parameters.map(({ name: text }) => ({ label: 'Parameter ', text, scores: TERM })),
    description,
  ];
  let score = 0;
  let note: Field | undefined;
  for (const pattern of patterns) {
    const scores = fields.map((field) => scoreOf(field, pattern));
    const best = Math.min(...scores);
    if (best === Infinity) return undefined;
    score += best;
    const field = fields[scores.indexOf(best)];
    if (field !== name) note ??= field;
  }
  return { endpoint, score, note: note ?? description };
}

function scoreOf({ text, scores }: Field, pattern: string): number {
  const starts = [...text.matchAll(new RegExp(pattern, 'giu'))].map(({ index }) => index);
  const fits = starts.map((start) => {
    const before = text.charAt(start - 1);
    if (start === 0) return scores[0];
    if (before === '.') return scores[1];
    return /[\W_]/.test(before) ? scores[2] : scores[3];
  });
  return Math.min(...fits, Infinity);
}

/** Names have hyphens, columns underscores: a user who types one of them means either. */
function patternOf(word: string): string {
  return [...word]
    .map((character) => {
      if (/[-_]/.test(character)) return '[-_]';
      return /[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
    })
    .join('');
}

function mark(text: string, words: readonly string[]): Part[] {
  if (words.length === 0) return [{ text, isMatch: false }];
  const longestFirst = words.toSorted((a, b) => b.length - a.length).map(patternOf);
  return text
    .split(new RegExp(`(${longestFirst.join('|')})`, 'giu'))
    .map((part, position) => ({ text: part, isMatch: position % 2 === 1 }))
    .filter((part) => part.text !== '');
}

/** Begins near the first match, so that it is in view where the text is cut to one line. */
function noteOf({ label, text }: Field, words: readonly string[]): Part[] {
  const parts = mark(text, words);
  const [first] = parts;
  if (label !== '') return [{ text: label, isMatch: false }, ...parts];
  if (parts.length === 1 || first === undefined || first.isMatch || first.text.length < FAR)
    return parts;
  const near = first.text.slice(-BEFORE_MATCH);
  return [{ text: `…${near.slice(near.indexOf(' '))}`, isMatch: false }, ...parts.slice(1)];
}
