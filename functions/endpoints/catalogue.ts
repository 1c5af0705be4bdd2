// The endpoints that the functions serve, found by id or name, and the file that `sql/` is compiled into (scripts/compile/inspect-catalogue.ts).
import { readFileSync } from 'node:fs';
import { sha256Hex } from '../core/bytes.ts';
import { errorMessage } from '../core/errors.ts';
import { membersOf } from '../core/json.ts';
import type { Endpoint, EndpointContent } from './endpoint.ts';
import { createParameterRule } from './parameter-rule.ts';

export type Catalogue = Pick<ReturnType<typeof createCatalogue>, 'endpoints' | 'resolve'>;

/** `contents` are in the order of their names; names and ids differ. */
export function createCatalogue(contents: readonly EndpointContent[]) {
  let current = index(contents);
  return {
    get endpoints(): readonly Endpoint[] {
      return current.endpoints;
    },
    /** By id in any letter case, or by name; ids are in lower case. */
    resolve: (idOrName: string): Endpoint | undefined =>
      current.byName.get(idOrName) ?? current.byId.get(idOrName.toLowerCase()),
    /** Takes effect with the next request. Only the local service calls it, when a file of `sql/` has changed. */
    replace: (replacing: readonly EndpointContent[]): void => void (current = index(replacing)),
  };
}

function index(contents: readonly EndpointContent[]) {
  const endpoints = contents.map(toEndpoint);
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  return { endpoints, byId, byName };
}

export function toEndpoint(content: EndpointContent): Endpoint {
  const rules = Object.entries(content.parameters).map(
    ([name, parameter]) => [name, createParameterRule(parameter, content.patterns[name])] as const,
  );
  return { ...content, rules: new Map(rules) };
}

/** SHA-256 over all definitions: it identifies the deployment that a run of warming served. */
export function catalogueDigest(endpoints: readonly EndpointContent[]): string {
  const digests = endpoints.map(({ id, definitionDigest }) => [id, definitionDigest]);
  return sha256Hex(JSON.stringify(digests));
}

/** Increment when the compiler's output changes: older code would misread the file. */
export const COMPILER_VERSION = 7;

export const COMPILED_CATALOGUE = 'catalogue.json';

/** Throws an Error that states what to do. */
export function readCompiled(file: string): EndpointContent[] {
  let compiled: unknown;
  try {
    compiled = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(
      `The compiled catalogue ${file} cannot be read: ${errorMessage(error)}. npm run bundle writes it.`,
      { cause: error },
    );
  }
  const { version, endpoints } = membersOf(compiled);
  if (version !== COMPILER_VERSION || !Array.isArray(endpoints)) {
    throw new Error(
      `The compiled catalogue ${file} is of version ${String(version)}, and these functions read version ${COMPILER_VERSION}: compile it again with npm run bundle.`,
    );
  }
  // The compiler of this version has checked each endpoint.
  return endpoints as EndpointContent[];
}
