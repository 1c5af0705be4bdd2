// What a link to the console carries: the endpoint and its parameters, never the key.
import type { Parameters } from './service.ts';

export interface Link {
  name: string;
  /** Undefined where the endpoint is only looked at; given, it is run with these. */
  parameters: Parameters | undefined;
}

/** Behind the `#`, where no server and no log of one sees it. */
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
