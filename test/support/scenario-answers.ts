// Compares an answer with what a scenario expects of it: by name, of its headers, its body, its rows or its error.
import type { Response } from 'supertest';
import type { EndpointDescription } from '../../functions/endpoints/endpoint.ts';

export type Fields = Record<string, unknown>;

/** Besides what each answer has, what may be expected to be missing: a name that is misspelt would be missing too. */
const OPTIONAL = new Set([
  ...['access-control-allow-credentials', 'access-control-allow-origin', 'age', 'allow'],
  ...['access-control-expose-headers', 'cache-status', 'content-disposition', 'content-encoding'],
  ...['cursor', 'etag', 'mcp-session-id', 'preference-applied', 'ratelimit', 'ratelimit-policy'],
  ...['retry-after', 'set-cookie', 'www-authenticate', 'x-bytes-processed', 'x-local-rows-cut'],
  ...['x-result-truncated', 'x-unknown-parameters'],
]);

/** Returns what can be sent again. Each error has the one shape (AIP-193), whatever is expected of it besides. */
export function expectTold(line: string, answer: Response, text: string, told: Fields) {
  const { status, headers } = answer;
  const isJson = String(headers['content-type']).startsWith('application/json');
  const body = (isJson && text ? JSON.parse(text) : {}) as Fields;
  const fault = body.error as ErrorBody | undefined;
  const details = fault?.details ?? [];
  const [info] = details;
  if (status >= 400 && text && body.jsonrpc === undefined) {
    const any = {
      message: expect.stringMatching(/\S/) as string,
      details: expect.any(Array) as unknown,
    };
    const shape = { code: status, status: expect.any(String) as string, ...any };
    expect([line, body]).toEqual([line, { error: shape }]);
    const type = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
    const vary = 'Accept, Accept-Encoding, Authorization, Origin, X-API-KEY';
    expect([line, headers]).toMatchObject([line, { ...type, vary }]);
    expect([line, 'www-authenticate' in headers]).toEqual([line, status === 401]);
    const infos = details.filter((of) => of['@type'].endsWith('.ErrorInfo'));
    expect([line, infos]).toEqual([line, [info]]);
  }
  const violations = details.flatMap(({ fieldViolations = [] }) => fieldViolations);
  const tool = ofTool(body.result as ToolAnswer | undefined);
  const seen: Fields = {
    ...headers,
    ...{ status, text, body, message: fault?.message, code: fault?.status ?? fault?.code },
    ...{ rows: body.result, limits: body.limits, endpoints: allowedBy(body), ...tool },
    ...{ reason: info?.reason, metadata: info?.metadata },
    faults: violations.map(({ field, description }) => [field, description]),
  };
  for (const [name, value] of Object.entries(told)) {
    if (value === null && !(name in seen) && !OPTIONAL.has(name))
      throw new Error(`No answer has ${name}: name it in scenario-answers.ts if one can.`);
  }
  expectFields(line, seen, told);
  const { cursor = '', said = '' } = tool;
  const error = info?.metadata?.errorId ?? /lists it as (\S+)\.$/.exec(said)?.[1];
  return {
    error: String(error),
    etag: String(headers.etag),
    cursor,
    tag: cursor.replace(/^.*\./, ''),
  };
}

/** What a tool answers: its rows and what it says of them, or the text of its error; or the tools, with their arguments. */
function ofTool({ content, structuredContent, isError = false, tools }: ToolAnswer = {}): Fields & {
  cursor?: string;
  said?: string;
} {
  if (tools !== undefined) {
    const named = tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]);
    return { tools: Object.fromEntries(named) as Fields };
  }
  if (content === undefined) return {};
  const { result, rows, found, ...page } = structuredContent ?? {};
  const said = content[0]?.text ?? '';
  if (structuredContent !== undefined) expect(JSON.parse(said)).toEqual(structuredContent);
  const bytes = String(Buffer.byteLength(said));
  const paged = { bytes, rows: result, total: rows, count: result?.length, first: result?.[0] };
  return { said, isError, page: structuredContent, ...paged, ...page, found: found?.length };
}

interface ToolAnswer {
  content?: { text: string }[];
  structuredContent?: { result?: unknown[]; rows?: number; cursor?: string; found?: unknown[] };
  isError?: boolean;
  tools?: { name: string; inputSchema: { properties: object } }[];
}

/** Of a catalogue: the parameters of each endpoint, with the values that the key may use, or null. */
function allowedBy({ endpoints = [] }: { endpoints?: EndpointDescription[] }) {
  return Object.fromEntries(
    endpoints.map(({ name, parameters }) => [
      name,
      Object.fromEntries(parameters.map((of) => [of.name, of.allowedValues ?? null])),
    ]),
  );
}

interface ErrorBody {
  status?: string;
  code?: number;
  message: string;
  details?: {
    '@type': string;
    reason?: string;
    metadata?: { errorId?: string };
    fieldViolations?: { field: string; description: string }[];
  }[];
}

/** Each named field; of an object at least what is given. */
export function expectFields(line: string, seen: Fields, expected: Fields): void {
  for (const [name, value] of Object.entries(expected)) {
    const pattern = typeof value === 'string' ? /^\/(.+)\/$/s.exec(value)?.[1] : undefined;
    const found = seen[name] ?? null;
    if (pattern !== undefined)
      expect([line, name, found]).toEqual([line, name, expect.stringMatching(pattern)]);
    else if (name === 'body') expect(found).toMatchObject(value as object);
    else expect([line, name, found]).toEqual([line, name, value]);
  }
}
