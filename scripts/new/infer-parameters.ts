// Infers the types of the undeclared parameters of a query.
import { type ParameterType, SCALAR_TYPES } from '../../functions/core/parameter-type.ts';
import { type Tokens, isSymbol, isWord, tokens } from '../lexer/sql-tokens.ts';
import { parameterType } from '../../functions/bigquery/query-configuration.ts';
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

/**
 * The analyzer takes a parameter to have one type wherever it is used, and INT64 in `@p IS NULL`. So each use that
 * does not show the type, and each use of a parameter whose uses differ, is analysed under a name of its own. `stated` are
 * types by name. Throws `GoogleSqlError` with the position in `query`.
 */
export async function inferParameters(
  engine: GoogleSql,
  query: string,
  sources: readonly PartitionedTable[],
  stated: ReadonlyMap<string, ParameterType> = new Map(),
): Promise<TypedQuery> {
  const named = namedTables(query, sources);
  const { sql, tables } = named;
  const shown = await typesIn(engine, { sql, tables }, stated);
  const types = new Map([...shown].map(([name, type]) => [name, type ?? 'STRING'] as const));
  const analysis = await engine.analyze({
    ...{ sql, tables, withTree: true },
    parameters: declared(types),
  });
  const references = tableReferences(analysis, named.find);
  const sourceOf = (table: string): string => named.find(table)?.source.name ?? table;
  return { types, analysis, references, sourceOf };
}

function declared(types: ReadonlyMap<string, ParameterType>) {
  return Object.fromEntries([...types].map(([name, type]) => [name, parameterType(type)]));
}

function parametersIn(sql: string) {
  const all = tokens(sql);
  return all.flatMap((token, index) => {
    if (token.kind !== 'parameter' || token.text.startsWith('@@')) return [];
    const name = token.text.slice(1).replaceAll('`', '').toLowerCase();
    const { start, end } = token;
    return [{ name, start, end, isOpen: isOpen(all, index) }];
  });
}

/** Whether a use does not show the type: `@p IS NULL`, `ARRAY_LENGTH(@p)`. */
function isOpen(all: Tokens, index: number): boolean {
  const [next, second, third] = all.slice(index + 1);
  if (isWord(next, 'IS')) return isWord(second, 'NULL') || isWord(third, 'NULL');
  return isSymbol(all[index - 1], '(') && isWord(all[index - 2], 'ARRAY_LENGTH');
}

/** Undefined for a type that no use shows. */
async function typesIn(
  engine: GoogleSql,
  { sql, tables }: { sql: string; tables: readonly Table[] },
  known: ReadonlyMap<string, ParameterType>,
): Promise<Map<string, ParameterType | undefined>> {
  const uses = parametersIn(sql);
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
          if (own !== undefined) return [name, own];
          const types = found.get(name) ?? (arrays.has(name) ? ['ARRAY<STRING>'] : undefined);
          return [name, types && bindable(name, types, googleSqlPlace(sql, start))];
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

/** The parameter type that takes values of all types. Throws if none of them is a parameter type. */
function bindable(name: string, types: readonly string[], place: string): ParameterType {
  const generality = (type: string): number => GENERALITY.indexOf(type);
  const ordered = types.toSorted((a, b) =>
    generality(a) < 0 || generality(b) < 0 ? 0 : generality(b) - generality(a),
  );
  // BIGNUMERIC takes NUMERIC.
  const found = ordered.map((type) => type.replace('BIGNUMERIC', 'NUMERIC')).find(isParameterType);
  if (found !== undefined) return found;
  const message = `@${name} would be ${ordered[0]}, which is not a parameter type; cast a parameter of another type, such as STRING at [${place}]`;
  throw new GoogleSqlError('invalid', message);
}

const isParameterType = (type: string): type is ParameterType =>
  (PARAMETER_TYPES as readonly string[]).includes(type);
