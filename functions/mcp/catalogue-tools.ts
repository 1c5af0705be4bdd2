// The three tools of a key with many endpoints, so that their list does not fill a conversation: search, describe, run.
import type { Tool } from '@modelcontextprotocol/server';
import type { EndpointDescription } from '../endpoints/description.ts';
import { ANNOTATIONS, endpointTool, objectSchema, outputSchema } from './endpoint-tool.ts';

const TOOLS_MAX = 40;
const TOOLS_BYTES_MAX = 48_000;
/** The longest name that all clients and models accept. */
const NAME_LENGTH_MAX = 64;
const WORDS_MAX = 20;
const FOUND_MAX = 20;
const FOUND_TEXT_LENGTH_MAX = 300;

/** The tools of a key: one for each endpoint, or the three if those would take too much space. */
export function toolsOf(endpoints: readonly EndpointDescription[], maxBytesBilled: number) {
  if (endpoints.length > TOOLS_MAX) return CATALOGUE_TOOLS;
  const tools = endpoints.map((endpoint) => endpointTool(endpoint, maxBytesBilled));
  const hasLongName = tools.some(({ name }) => name.length > NAME_LENGTH_MAX);
  const bytes = Buffer.byteLength(JSON.stringify({ tools }));
  return hasLongName || bytes > TOOLS_BYTES_MAX ? CATALOGUE_TOOLS : tools;
}

const NAME = { type: 'string', description: 'The name of a query, as "search" returns it.' };
const ARGUMENTS = { type: 'object', description: 'The arguments that "describe" lists.' };
const WORDS = { type: 'string', description: 'Words, such as: requests per project.' };

const CATALOGUE_TOOLS: readonly Tool[] = [
  {
    name: 'search',
    description: `Finds the saved queries that can be run, by words of their names, descriptions, parameters and columns. Returns the ${FOUND_MAX} best matches ("matches" counts all), or without words the first ones. Call "describe" next.`,
    inputSchema: objectSchema({ query: WORDS }),
    outputSchema: objectSchema(
      { found: { type: 'array', items: { type: 'object' } }, matches: { type: 'integer' } },
      ['found', 'matches'],
    ),
    annotations: ANNOTATIONS,
  },
  {
    name: 'describe',
    description:
      'Describes a saved query: its columns, the age of its rows, its cost, and the arguments that "run" takes for it.',
    inputSchema: objectSchema({ name: NAME }, ['name']),
    annotations: ANNOTATIONS,
  },
  {
    name: 'run',
    description:
      'Returns the rows of a saved query. Call "describe" first: it lists the arguments and explains how to get the next page.',
    inputSchema: objectSchema({ name: NAME, arguments: ARGUMENTS }, ['name']),
    outputSchema: outputSchema({ type: 'object' }),
    annotations: ANNOTATIONS,
  },
];

/** The endpoints that have a word of the query, the best first: a word of the name counts most. */
export function searchEndpoints(endpoints: readonly EndpointDescription[], query: string) {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))].slice(0, WORDS_MAX);
  const scored = endpoints
    .map((endpoint) => ({ endpoint, score: words.length === 0 ? 1 : scoreOf(endpoint, words) }))
    .filter(({ score }) => score > 0)
    // The sort is stable, so equal ones stay in the order of their names.
    .sort((a, b) => b.score - a.score);
  const found = scored.slice(0, FOUND_MAX).map(({ endpoint: { name, description } }) => ({
    name,
    description: description.slice(0, FOUND_TEXT_LENGTH_MAX),
  }));
  return { found, matches: scored.length };
}

function scoreOf(endpoint: EndpointDescription, words: readonly string[]): number {
  const { name, description, parameters, row } = endpoint;
  const fields = [...parameters, ...row].map((field) => `${field.name} ${field.description}`);
  const texts = [fields.join(' '), description, name].map((text) => text.toLowerCase());
  // The last text with the word counts: 1 in a field, 2 in the description, 3 in the name.
  const scores = words.map((word) => 1 + texts.findLastIndex((text) => text.includes(word)));
  return scores.reduce((sum, score) => sum + score, 0);
}
