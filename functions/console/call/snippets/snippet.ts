// The types of a snippet: a call of an endpoint, written in one language.
import type { Endpoint, Parameters } from '../../service.ts';

/** With what a call is authenticated. */
export interface Credential {
  noun: 'key' | 'token';
  /** The environment variable that contains it. */
  variable: string;
  placeholder: string;
  header: string;
  /** In front of it in the header. */
  scheme: '' | 'Bearer ';
}

export const API_KEY: Credential = {
  noun: 'key',
  variable: 'API_KEY',
  placeholder: '<your API key>',
  header: 'X-API-KEY',
  scheme: '',
};
export const TOKEN: Credential = {
  noun: 'token',
  variable: 'API_TOKEN',
  placeholder: '<your token>',
  header: 'Authorization',
  scheme: 'Bearer ',
};

export interface Call {
  /** The origin of the service, such as `https://queries.example.com`. */
  origin: string;
  endpoint: Pick<Endpoint, 'name' | 'path' | 'parameters' | 'row'>;
  parameters: Parameters;
  credential: Credential;
}

interface Snippet {
  /** Absent if the language has only one snippet. */
  title?: string;
  /** To be pasted as it is; it contains neither the API key nor the token. */
  text: string;
}

export interface Language {
  id: string;
  label: string;
  /** Where it runs, and where the API key or the token goes; code is between backticks. */
  hint: (credential: Credential) => string;
  write: (call: Call) => Snippet[];
}

/** The value of the header, for languages with texts in double quotes: `expression` gives the key or the token. */
export function headerValue(
  { scheme }: Credential,
  expression: string,
  concatenate: '+' | '&' = '+',
): string {
  return scheme === '' ? expression : `"${scheme}" ${concatenate} ${expression}`;
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
