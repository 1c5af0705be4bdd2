// Infers the types of the undeclared parameters of a query.
import { type ParameterType, SCALAR_TYPES } from '../../functions/core/parameter-type.ts';
import { type Tokens, isSymbol, isWord, tokens } from '../lexer/sql-tokens.ts';
import { parameterType } from '../../functions/google/query-configuration.ts';
import { googleSqlPlace } from '../faults/text-place.ts';
import {
  type Analysis,
  type GoogleSql,
  GoogleSqlError,
  atOrigin,
  namedTables,
  type PartitionedTable,
  rewritten,
  type Table,
  type TableReference,
  tableReferences,
  tree,
} from '../local-bigquery/index.ts';
import { typedUses } from './parameter-uses.ts';

const ARRAY_TYPES = SCALAR_TYPES.map((type) => `ARRAY<${type}>` as const);
export const PARAMETER_TYPES: readonly ParameterType[] = [...SCALAR_TYPES, ...ARRAY_TYPES];

export interface TypedQuery {
  /** In the order of first use. */
  types: ReadonlyMap<string, ParameterType>;
  analysis: Analysis;
  references: readonly TableReference[];
  /** The name of the source that the analysis names so. */
  sourceOf: (table: string) => string;
}

const TRIES_MAX = 64;

/**
 * The analyzer takes a parameter to have one type wherever it is used, and INT64 in `@p IS NULL`. So each use that
 * does not show the type, and each use of a parameter whose uses differ, is analysed under a name of its own. It infers no
 * array, except from `IN UNNEST(@p)`: if the query is wrong without arrays, the parameters that stand where an array does are
 * given each type of arrays in turn. `stated` are types by name. Throws `GoogleSqlError` with the position in `query`.
 */
export async function inferParameters(
  engine: GoogleSql,
  query: string,
  sources: readonly PartitionedTable[],
  stated: ReadonlyMap<string, ParameterType> = new Map(),
): Promise<TypedQuery> {
  const named = namedTables(query, sources);
  const { sql, tables } = named;
  const sourceOf = (table: string): string => named.find(table)?.source.name ?? table;
  const uses = parametersIn(sql);
  const arrays = new Set(
    uses.flatMap(({ name, isArray }) => (isArray && !stated.has(name) ? name : [])),
  );
  const faults: GoogleSqlError[] = [];
  let withCast: TypedQuery | undefined;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GoogleSqlError)) throw error;
      faults.push(error);
      return undefined;
    }
  };
  const ofArrays = waysToType(new Map([...arrays].map((name) => [name, ARRAY_TYPES])));
  for (const given of [[], ...(arrays.size > 0 ? ofArrays : [])]) {
    const known = new Map([...stated, ...given]);
    const candidates = await attempt(() => candidateTypes(engine, { sql, tables }, uses, known));
    for (const typed of candidates === undefined ? [] : waysToType(candidates)) {
      const types = new Map(typed);
      const parameters = declared(types);
      const analysis = await attempt(() =>
        engine.analyze({ sql, tables, parameters, withTree: true }),
      );
      if (analysis === undefined) continue;
      const references = tableReferences(analysis, named.find);
      const found = { types, analysis, references, sourceOf };
      // An array of another type would do, after a cast that the analyzer adds.
      if (given.length === 0 || !hasCastParameter(analysis.resolved)) return found;
      withCast ??= found;
    }
  }
  if (withCast !== undefined) return withCast;
  // With a wrong type the analyzer says so. Another fault is that of the query.
  throw (
    faults.find(({ message }) => !OF_TYPE.test(message)) ?? faults[0] ?? new Error('no type fits')
  );
}

function hasCastParameter(resolved: unknown): boolean {
  return tree
    .allNodes(resolved)
    .some(
      ({ kind, message }) => kind === 'Cast' && tree.childOf(message, 'expr')?.kind === 'Parameter',
    );
}

const OF_TYPE = /No matching signature|must be arrays|Subscript access|different types/;

function declared(types: ReadonlyMap<string, ParameterType>) {
  return Object.fromEntries([...types].map(([name, type]) => [name, parameterType(type)]));
}

type Use = ReturnType<typeof parametersIn>[number];

function parametersIn(sql: string) {
  const all = tokens(sql);
  return all.flatMap((token, index) => {
    if (token.kind !== 'parameter' || token.text.startsWith('@@')) return [];
    const name = token.text.slice(1).replaceAll('`', '').toLowerCase();
    const { start, end } = token;
    return [{ name, start, end, isOpen: isOpen(all, index), isArray: isArray(all, index) }];
  });
}

/** Whether it may be an array: `UNNEST(@p)`, `@p[0]`, or an argument of a function for arrays. */
function isArray(all: Tokens, index: number): boolean {
  const { depth = 0 } = all[index] ?? {};
  const open = all.findLastIndex(
    (token, at) => at < index && isSymbol(token, '(') && token.depth === depth - 1,
  );
  return isSymbol(all[index + 1], '[') || /^(?:UNNEST|ARRAY_\w+)$/i.test(all[open - 1]?.text ?? '');
}

/** Whether a use does not show the type: `@p IS NULL`, `ARRAY_LENGTH(@p)`. */
function isOpen(all: Tokens, index: number): boolean {
  const [next, second, third] = all.slice(index + 1);
  if (isWord(next, 'IS')) return isWord(second, 'NULL') || isWord(third, 'NULL');
  return isSymbol(all[index - 1], '(') && isWord(all[index - 2], 'ARRAY_LENGTH');
}

/** Types of each parameter, the likeliest first. */
async function candidateTypes(
  engine: GoogleSql,
  { sql, tables }: { sql: string; tables: readonly Table[] },
  uses: readonly Use[],
  known: ReadonlyMap<string, ParameterType>,
): Promise<Map<string, readonly ParameterType[]>> {
  const apart = new Set<string>();
  let conflict: unknown;
  for (;;) {
    const renamed = uses.map((use, index) => ({
      ...use,
      alias:
        !known.has(use.name) && (use.isOpen || apart.has(use.name))
          ? `${use.name}__${index}`
          : use.name,
    }));
    const edits = renamed.map(({ alias, ...use }) => ({ ...use, pieces: [`@\`${alias}\``] }));
    const edited = rewritten(sql, edits);
    try {
      const asked = { parameters: declared(known), infersOthers: true, withTree: true };
      const { resolved } = await engine.analyze({ sql: edited.text, tables, ...asked });
      const names = new Map(renamed.map(({ alias, name }) => [alias.toLowerCase(), name]));
      const open = new Set(renamed.filter((use) => use.isOpen).map(({ alias }) => alias));
      const found = new Map<string, string[]>();
      const arrays = new Set<string>();
      for (const { name: alias, type } of typedUses(resolved)) {
        const name = names.get(alias) ?? alias;
        if (type === undefined) continue;
        if (!open.has(alias)) found.set(name, [...(found.get(name) ?? []), type]);
        else if (type.startsWith('ARRAY<')) arrays.add(name);
      }
      return new Map(
        uses.map(({ name, start }) => {
          const own = known.get(name);
          if (own !== undefined) return [name, [own]];
          // The analyzer does not report an INT64 that a routine takes.
          const types =
            found.get(name) ?? (arrays.has(name) ? ['ARRAY<STRING>'] : ['STRING', 'INT64']);
          return [name, bindable(name, types, googleSqlPlace(sql, start))];
        }),
      );
    } catch (error) {
      if (!(error instanceof GoogleSqlError)) throw error;
      const [, alias] =
        /parameter '([^']+)' is used assuming different types/.exec(error.message) ?? [];
      const name = renamed.find((use) => use.alias === alias)?.name;
      if (name !== undefined && !apart.has(name)) {
        apart.add(name);
        conflict = atOrigin(error, edited);
        continue;
      }
      // An expression that is also in GROUP BY must have the same parameter in both places.
      const isGrouping = /neither grouped nor aggregated/.test(error.message);
      throw isGrouping && conflict ? conflict : atOrigin(error, edited);
    }
  }
}

/** A more general number type takes the values of the others. */
const GENERALITY = ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64'];

/** The types that a parameter can have. Throws if none of them is a parameter type. */
function bindable(name: string, types: readonly string[], place: string): ParameterType[] {
  const generality = (type: string): number => GENERALITY.indexOf(type);
  const ordered = [...new Set(types)].sort((a, b) =>
    generality(a) < 0 || generality(b) < 0 ? 0 : generality(b) - generality(a),
  );
  // BIGNUMERIC takes NUMERIC.
  const found = ordered
    .map((type) => type.replace('BIGNUMERIC', 'NUMERIC'))
    .flatMap((type) => PARAMETER_TYPES.find((possible) => possible === type) ?? []);
  if (found.length > 0) return [...new Set(found)];
  const message = `@${name} would be ${ordered[0]}, which is not a parameter type; cast a parameter of another type, such as STRING at [${place}]`;
  throw new GoogleSqlError('invalid', message);
}

/** Ways to take one type of each parameter, at most `TRIES_MAX`, those with the first types first. */
function waysToType(candidates: ReadonlyMap<string, readonly ParameterType[]>) {
  let ways: (readonly [name: string, ParameterType])[][] = [[]];
  for (const [name, types] of candidates) {
    const all = ways.flatMap((way) => types.map((type) => [...way, [name, type] as const]));
    ways = all.slice(0, TRIES_MAX);
  }
  return ways;
}
