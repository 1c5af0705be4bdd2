// Reads and writes links to the console: endpoint and parameters, never the key.
import { type Parameters, queryOf } from '../service.ts';

export interface Link {
  name: string;
  /** Undefined if the endpoint is only shown; otherwise it is run with these. */
  parameters: Parameters | undefined;
}

/** In the fragment of the address (`#`), which no server and no log sees. */
export function linkTo({ name, parameters }: Link): string {
  if (parameters === undefined) return `#${name}`;
  return `#${name}?${queryOf(parameters)}`;
}

export function parseLink(hash: string): Link | undefined {
  const text = hash.replace(/^#/, '');
  if (text === '') return undefined;
  const question = text.indexOf('?');
  if (question === -1) return { name: text, parameters: undefined };
  const query = new URLSearchParams(text.slice(question + 1));
  return {
    name: text.slice(0, question),
    parameters: Object.fromEntries(
      [...new Set(query.keys())].map((key) => [key, query.getAll(key)]),
    ),
  };
}
