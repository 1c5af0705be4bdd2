// The three tools of a key with many endpoints, so that their list does not fill a conversation: search, describe, run.
import type { Tool } from '@modelcontextprotocol/server';
import type { EndpointDescription } from '../endpoints/description.ts';
import catalogueTools from './catalogue-tools.json' with { type: 'json' };
import { ANNOTATIONS, endpointTool, outputSchema } from './endpoint-tool.ts';

const TOOLS_MAX = 40;
const TOOLS_BYTES_MAX = 48_000;
/** The longest name that all clients and models accept. */
const NAME_LENGTH_MAX = 64;
const WORDS_MAX = 20;
const FOUND_MAX = 20;
const FOUND_TEXT_LENGTH_MAX = 300;

/** The tools of a key: one for each endpoint, or the three if those would take too much space. */
export function toolsOf(
  endpoints: readonly EndpointDescription[],
  maxBytesBilled: number | undefined,
) {
  if (endpoints.length > TOOLS_MAX) return CATALOGUE_TOOLS;
  const tools = endpoints.map((endpoint) => endpointTool(endpoint, maxBytesBilled));
  const hasLongName = tools.some(({ name }) => name.length > NAME_LENGTH_MAX);
  const bytes = Buffer.byteLength(JSON.stringify({ tools }));
  return hasLongName || bytes > TOOLS_BYTES_MAX ? CATALOGUE_TOOLS : tools;
}

const CATALOGUE_TOOLS = catalogueTools.map((tool) => ({
  ...tool,
  description: tool.description.replace('{count}', String(FOUND_MAX)),
  ...(tool.name === 'run' && { outputSchema: outputSchema({ type: 'object' }) }),
  annotations: ANNOTATIONS,
})) as readonly Tool[];

/** The endpoints that have a word of the query, the best first: a word of the name counts most. */
export function searchEndpoints(endpoints: readonly EndpointDescription[], query: string) {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))].slice(0, WORDS_MAX);
  const scored = endpoints
    .map((endpoint) => ({ endpoint, score: words.length === 0 ? 1 : scoreOf(endpoint, words) }))
    .filter(({ score }) => score > 0)
    // The sort is stable, so equal ones stay in the order of their names.
    .sort((a, b) => b.score - a.score);
  const best = scored.slice(0, FOUND_MAX).map(({ endpoint: { name, description } }) => ({
    name,
    description: description.slice(0, FOUND_TEXT_LENGTH_MAX),
  }));
  return { found: best, matches: scored.length };
}

function scoreOf(endpoint: EndpointDescription, words: readonly string[]): number {
  const { name, description, parameters, row } = endpoint;
  const fields = [...parameters, ...row].map((field) => `${field.name} ${field.description}`);
  const texts = [fields.join(' '), description, name].map((text) => text.toLowerCase());
  // The last text with the word counts: 1 in a field, 2 in the description, 3 in the name.
  const scores = words.map((word) => 1 + texts.findLastIndex((text) => text.includes(word)));
  return scores.reduce((sum, score) => sum + score, 0);
}
