// Loads `sql/`: checks every definition and makes endpoints ready to serve (SQL, validators, digest).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import ajvFormats from 'ajv-formats';
import { errorMessage } from '../core/describe-error.ts';
import { sha256Hex } from '../core/hashes.ts';
import { isObject } from '../core/is-object.ts';
import type { Endpoint, EndpointDefinition, ParameterValidator } from './endpoint.ts';
import { re2PatternFault } from './re2-pattern.ts';
import { describeSchemaError } from './schema-error.ts';
import { calledFunctions, parameterNames } from './sql-text.ts';

/** A definition that cannot be served; the message names the file and the fault. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
}

export interface Catalogue {
  /** In the order of their names. */
  endpoints: readonly Endpoint[];
  /** By id in any letter case, or by name. */
  resolve(idOrName: string): Endpoint | undefined;
}

/** Throws DefinitionError for the first fault; a catalogue with a fault is not served. */
export function loadCatalogue(sqlDirectory: string): Catalogue {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    // endpoint.schema.json is tested and allows no bad keywords in an endpoint.json. Checking all schemas
    // at each cold start would take longer than compiling them.
    validateSchema: false,
  });
  ajvFormats.default(ajv);
  const validateDefinition = ajv.compile<EndpointDefinition>(
    parseJson(join(sqlDirectory, 'endpoint.schema.json')) as object,
  );
  const routines = readRoutines(join(sqlDirectory, 'routines'));
  const endpointsDirectory = join(sqlDirectory, 'endpoints');

  const addresses = new Map<string, Endpoint>();
  const endpoints = subdirectories(endpointsDirectory).map((folder) => {
    const file = join(endpointsDirectory, folder, 'endpoint.json');
    const definition = parseJson(file);
    refuseSandboxing(file, definition);
    if (!validateDefinition(definition)) {
      const faults = (validateDefinition.errors ?? [])
        .filter((error) => error.propertyName === undefined)
        .map((error) => describeSchemaError(error, 'endpoint.json'));
      throw new DefinitionError(`${file}: ${[...new Set(faults)].join('; ')}`);
    }
    if (definition.name !== folder) {
      throw new DefinitionError(`${file}: name is ${definition.name}, but the folder is ${folder}`);
    }
    const endpoint = createEndpoint(ajv, file, definition, routines);
    for (const address of [endpoint.id, endpoint.name]) {
      const other = addresses.get(address);
      if (other !== undefined) {
        throw new DefinitionError(`${file}: ${address} is already used by ${other.name}`);
      }
      addresses.set(address, endpoint);
    }
    return endpoint;
  });
  if (endpoints.length === 0) throw new DefinitionError(`${endpointsDirectory}: holds no endpoint`);
  return { endpoints, resolve: (idOrName) => resolve(addresses, idOrName) };
}

function resolve(addresses: Map<string, Endpoint>, idOrName: string): Endpoint | undefined {
  // Names are lower case, so only an id is found under its lower-case spelling.
  const endpoint = addresses.get(idOrName) ?? addresses.get(idOrName.toLowerCase());
  return endpoint?.name === idOrName || endpoint?.id === idOrName.toLowerCase()
    ? endpoint
    : undefined;
}

function createEndpoint(
  ajv: Ajv,
  file: string,
  definition: EndpointDefinition,
  routines: ReadonlyMap<string, string>,
): Endpoint {
  const queryFile = join(file, '..', 'query.sql');
  const query = readText(queryFile);
  const declared = Object.keys(definition.parameters);
  const used = parameterNames(query);
  for (const name of used.filter((name) => !declared.includes(name))) {
    throw new DefinitionError(`${queryFile}: uses @${name}, which endpoint.json does not declare`);
  }
  for (const name of declared.filter((name) => !used.includes(name))) {
    throw new DefinitionError(`${file}: declares parameters.${name}, which query.sql does not use`);
  }
  const warmQuery = readWarmQuery(file, definition);
  const validators = new Map(
    Object.entries(definition.parameters).map(([name, parameter]) => {
      const validate = compileParameter(ajv, file, name, parameter);
      for (const keyword of ['example', 'default', 'otherwise'] as const) {
        const value = parameter[keyword];
        if (value === undefined || (value === '' && !parameter.required)) continue;
        const fault = value === '' ? 'must not be empty' : validate(value);
        if (fault !== undefined) {
          throw new DefinitionError(`${file}: parameters.${name}.${keyword} ${fault}`);
        }
      }
      return [name, validate] as const;
    }),
  );
  const { warming, ...rest } = definition;
  const routinesDirectory = join(file, '..', '..', '..', 'routines');
  const sql = withRoutines(routinesDirectory, query, routines);
  const warm =
    warming === undefined || warmQuery === undefined
      ? {}
      : { warming: { ...warming, sql: withRoutines(routinesDirectory, warmQuery, routines) } };
  return {
    ...rest,
    ...warm,
    sql,
    definitionDigest: sha256Hex(JSON.stringify([definition, sql, warm.warming?.sql])),
    validators,
  };
}

/** The text of `warm.sql`; undefined if the endpoint has neither `warm.sql` nor `warming`. */
function readWarmQuery(file: string, definition: EndpointDefinition): string | undefined {
  const { parameters, row, warming } = definition;
  const warmFile = join(file, '..', 'warm.sql');
  if (warming === undefined) {
    if (!existsSync(warmFile)) return undefined;
    throw new DefinitionError(`${file}: has no warming, which warm.sql beside it needs`);
  }
  if (!existsSync(warmFile)) {
    throw new DefinitionError(`${file}: has warming, but there is no warm.sql beside it`);
  }
  const declared = Object.keys(parameters);
  const { batchOver } = warming;
  for (const name of batchOver.filter((name) => !declared.includes(name))) {
    throw new DefinitionError(`${file}: warming.batchOver names ${name}, which is no parameter`);
  }
  // BigQuery refuses column names that differ only in letter case.
  for (const name of Object.keys(row).filter((name) => name.toLowerCase() === 'key')) {
    throw new DefinitionError(`${file}: row.${name} has the name of the first column of warm.sql`);
  }
  const query = readText(warmFile);
  const bound = [...declared.filter((name) => !batchOver.includes(name)), 'keys'];
  const used = parameterNames(query);
  for (const name of used.filter((name) => !bound.includes(name))) {
    const reason = batchOver.includes(name)
      ? 'which is in warming.batchOver and so a field of @keys'
      : 'which endpoint.json does not declare';
    throw new DefinitionError(`${warmFile}: uses @${name}, ${reason}`);
  }
  for (const name of bound.filter((name) => !used.includes(name))) {
    throw new DefinitionError(`${warmFile}: does not use @${name}`);
  }
  return query;
}

function compileParameter(
  ajv: Ajv,
  file: string,
  name: string,
  parameter: EndpointDefinition['parameters'][string],
): ParameterValidator {
  const { minLength, maxLength, pattern, format, enum: allowed } = parameter;
  const keywords = Object.entries({ minLength, maxLength, pattern, enum: allowed });
  try {
    const validateShape = ajv.compile({
      type: 'string',
      ...Object.fromEntries(keywords.filter(([, value]) => value !== undefined)),
    });
    const validateFormat =
      format === undefined || format === 're2'
        ? undefined
        : ajv.compile({ type: 'string', format });
    return (value) => {
      if (!validateShape(value)) return valueFault(validateShape.errors, allowed);
      if (format === 're2') {
        // Only a value of valid length is compiled, because compiling takes time.
        return re2PatternFault(value);
      }
      if (validateFormat === undefined || validateFormat(value)) return undefined;
      return valueFault(validateFormat.errors);
    };
  } catch (cause) {
    throw new DefinitionError(`${file}: parameters.${name}: ${errorMessage(cause)}`, { cause });
  }
}

/** Completes "<parameter> …" for the caller. */
function valueFault(
  errors: ErrorObject[] | null | undefined,
  allowed: readonly string[] = [],
): string {
  const faults = (errors ?? []).map((error) => {
    if (error.keyword !== 'enum') return error.message ?? 'is invalid';
    return `must be one of ${allowed.join(', ')}`;
  });
  return [...new Set(faults)].join(' and ');
}

/** Checked first, with its own message: a definition must not seem to be sandboxed. */
function refuseSandboxing(file: string, definition: unknown): void {
  if (isObject(definition) && definition.sandboxed === true) {
    throw new DefinitionError(`${file}: sandboxed is true, but query sandboxing is not supported`);
  }
}

function readRoutines(directory: string): ReadonlyMap<string, string> {
  const files = existsSync(directory) ? readdirSync(directory) : [];
  return new Map(
    files
      .filter((file) => file.endsWith('.sql'))
      .map((file) => {
        const name = file.slice(0, -'.sql'.length);
        const text = readText(join(directory, file)).trim();
        if (!new RegExp(`CREATE\\s+TEMP\\s+FUNCTION\\s+${name}\\s*\\(`, 'i').test(text)) {
          throw new DefinitionError(
            `${join(directory, file)}: does not create the function ${name}`,
          );
        }
        return [name, text];
      }),
  );
}

/** Puts the routines that the query calls in front of it, each after the routines that it calls. */
function withRoutines(
  routinesDirectory: string,
  query: string,
  routines: ReadonlyMap<string, string>,
): string {
  const needed = new Set<string>();
  const collect = (sql: string, callers: readonly string[]): void => {
    for (const name of calledFunctions(sql)) {
      const text = routines.get(name);
      // A routine's text contains its own name, in CREATE FUNCTION.
      if (text === undefined || text === sql) continue;
      if (callers.includes(name)) {
        const cycle = [...callers.slice(callers.indexOf(name)), name].join(' -> ');
        throw new DefinitionError(
          `${join(routinesDirectory, name)}.sql: routines call each other: ${cycle}`,
        );
      }
      collect(text, [...callers, name]);
      needed.add(text);
    }
  };
  collect(query, []);
  return [...needed, query.trim()].join('\n\n');
}

function subdirectories(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((item) => item.isDirectory())
      .map((item) => item.name)
      .sort();
  } catch (cause) {
    throw new DefinitionError(`${directory}: cannot be read`, { cause });
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DefinitionError(`${file}: cannot be read`, { cause });
  }
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readText(file));
  } catch (cause) {
    if (cause instanceof DefinitionError) throw cause;
    throw new DefinitionError(`${file}: is not JSON: ${errorMessage(cause)}`, { cause });
  }
}
