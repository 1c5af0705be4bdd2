// Reads and writes links to the console: endpoint and parameters, never the key.
import type { Parameters } from './service.ts';

export interface Link {
  name: string;
  /** Undefined if the endpoint is only shown; otherwise it is run with these. */
  parameters: Parameters | undefined;
}

/** In the fragment of the address (`#`), which no server and no log sees. */
export function linkTo({ name, parameters }: Link): string {
  if (parameters === undefined) return `#${name}`;
  return `#${name}?${new URLSearchParams(parameters).toString()}`;
}

export function parseLink(hash: string): Link | undefined {
  const text = hash.replace(/^#/, '');
  if (text === '') return undefined;
  const question = text.indexOf('?');
  if (question === -1) return { name: text, parameters: undefined };
  return {
    name: text.slice(0, question),
    parameters: Object.fromEntries(new URLSearchParams(text.slice(question + 1))),
  };
}
