// Builds the engine's catalogue: the tables and SQL functions that a query can use.
import { isPseudoColumn } from './table-definition.ts';
import { field } from '../engine/encoded-rows.ts';
import { type EngineType, type TableField, engineType, typeAliases } from './table-schema.ts';

/** A table by its name in the query: `events`, `logs.events` or `project.logs.events`. */
export interface Table {
  name: string;
  /** The name of the table in analyses, and in a statement that is evaluated; absent if it is `name`. */
  fullName?: string;
  fields: readonly TableField[];
}

export interface TableContents extends Table {
  encodedRows: readonly Buffer[];
}

interface Catalogue {
  name: string;
  table: object[];
  catalog: Catalogue[];
  customFunction: object[];
  namedType?: object[];
  builtinFunctionOptions?: object;
}

/**
 * Tables are found by their path, and by the same path in one pair of back quotes. For an analysis, calls are checked by
 * the types of the functions alone, and cannot be evaluated.
 */
export function engineCatalogue(
  tables: readonly Table[],
  functions: readonly SqlFunction[],
  languageOptions: object,
  isForAnalysis = false,
): object {
  const isTyped = (one: SqlFunction): boolean =>
    one.returnType !== undefined && one.arguments.every(({ type }) => type);
  const root = emptyCatalogue('local');
  root.builtinFunctionOptions = { languageOptions };
  root.namedType = typeAliases;
  root.customFunction = functions.map((definition) =>
    engineFunction(definition, !!definition.notRun || (isForAnalysis && isTyped(definition))),
  );
  for (const [index, table] of tables.entries()) {
    const column = table.fields.map((child) => ({
      name: child.name,
      type: engineType(child),
      isPseudoColumn: isPseudoColumn(child.name),
    }));
    addTable(root, table.name.split('.'), (name, offset) => ({
      name,
      fullName: table.fullName ?? table.name,
      serializationId: index * 10 + offset,
      column,
    }));
  }
  return root;
}

/** Encoded RegisterCatalogRequest: the catalogue, then one map entry of contents per table. */
export function registration(catalogue: Buffer, tables: readonly TableContents[]): Buffer {
  const entries = tables.flatMap(({ name, encodedRows }) => {
    const key = field(1, [Buffer.from(name)]);
    return field(4, [...key, ...field(2, field(1, encodedRows))]);
  });
  return Buffer.concat([catalogue, ...entries]);
}

function emptyCatalogue(name: string): Catalogue {
  return { name, table: [], catalog: [], customFunction: [] };
}

function addTable(
  catalogue: Catalogue,
  path: string[],
  table: (name: string, offset: number) => object,
  offset = 0,
): void {
  catalogue.table.push(table(path.join('.'), offset));
  for (let split = 1; split < path.length; split++) {
    const name = path.slice(0, split).join('.');
    let inner = catalogue.catalog.find((child) => child.name === name);
    if (inner === undefined) catalogue.catalog.push((inner = emptyCatalogue(name)));
    addTable(inner, path.slice(split), table, offset + split);
  }
}

/** With `byTypes`, literals get the types of the arguments; else the body is analysed at each call, and types may be open. */
function engineFunction(definition: SqlFunction, byTypes: boolean): object {
  const { name, arguments: list, returnType, body, isAggregate } = definition;
  const given = list.map(({ name: argumentName, type, isNotAggregate = false, ifAbsent }) => {
    const cardinality = ifAbsent === undefined ? 'REQUIRED' : 'OPTIONAL';
    const namedArgumentKind = 'POSITIONAL_OR_NAMED';
    return {
      ...argument(type),
      options: { argumentName, namedArgumentKind, isNotAggregate, cardinality },
    };
  });
  return {
    namePath: [name],
    // The engine writes it before the name of a function, as in `ROUTINE:F`.
    group: byTypes ? 'Routine' : 'Templated_SQL_Function',
    mode: isAggregate ? 'AGGREGATE' : 'SCALAR',
    signature: [{ argument: given, returnType: argument(returnType) }],
    ...(!byTypes && {
      parseResumeLocation: { input: body },
      templatedSqlFunctionArgumentName: list.map((one) => one.name),
    }),
  };
}

function argument(type: EngineType | undefined): object {
  const kind = type ? { kind: 'ARG_TYPE_FIXED', type } : { kind: 'ARG_TYPE_ARBITRARY' };
  return { ...kind, numOccurrences: 1 };
}

/** A function of a query, with declared types or, where one is absent, any type. */
export interface SqlFunction {
  name: string;
  arguments: readonly FunctionArgument[];
  /** Declared, or else that of the body if it does not depend on the arguments of a call. */
  returnType?: EngineType;
  isAggregate?: boolean;
  /** The expression, with each table by its full name in one pair of back quotes. */
  body: string;
  /** What kind of function it is, if the engine knows only its types: JavaScript, an aggregate. */
  notRun?: string;
}

export interface FunctionArgument {
  name: string;
  type?: EngineType;
  /** For an aggregate function: has one value for all rows. */
  isNotAggregate?: boolean;
  /** The value, as SQL, of an argument that a call may leave out. */
  ifAbsent?: string;
}
