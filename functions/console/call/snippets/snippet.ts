// The types of a snippet: a call of an endpoint, written in one language.
import type { Endpoint, Parameters } from '../../service.ts';

export interface Call {
  /** The origin of the service, such as `https://queries.example.com`. */
  origin: string;
  endpoint: Pick<Endpoint, 'name' | 'path' | 'parameters' | 'row'>;
  parameters: Parameters;
}

interface Snippet {
  /** Absent if the language has only one snippet. */
  title?: string;
  /** To be pasted as it is; it never contains the API key. */
  text: string;
}

export interface Language {
  id: string;
  label: string;
  /** Where it runs, and where the API key goes; code is between backticks. */
  hint: string;
  write: (call: Call) => Snippet[];
}

/** A string literal of JSON and JavaScript. Invisible characters, which could also reorder what is shown, are escaped. */
export function jsonText(text: string): string {
  return JSON.stringify(text).replaceAll(INVISIBLE, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Controls, formats such as U+202E, and line and paragraph separators. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
