// Reads the SQL files of this folder, which define functions of BigQuery that the engine lacks, and finds their calls.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeOf } from '../../../lexer/brackets.ts';
import { type Tokens, isSymbol, isWord, tokens } from '../../../lexer/sql-tokens.ts';
import type { FunctionArgument, SqlFunction } from '../../values/engine-catalogue.ts';
import { type EngineType, arrayOf, kindOf } from '../../values/table-schema.ts';

/** A definition that contains `{type}` defines one function for each of these. */
const TYPES = ['BOOL', 'FLOAT64', 'INT64', 'STRING'];
const MISSING = definitionsIn('missing.sql');
const PARTS = definitionsIn('parts.sql');
/** By the name in a query: the function to call in its place, and those that it calls. */
const REPLACED = new Map(
  definitionsIn('replaced.sql').map((replaced) => {
    const name = `local_${replaced.name.toLowerCase().replace('.', '_')}`;
    return [replaced.name, [{ ...replaced, name }, ...partsOf(replaced.body)]];
  }),
);

/** The functions that the text calls and the engine does not know, except those that the query defines. */
export function missingFunctions(sql: string, defined: readonly SqlFunction[]): SqlFunction[] {
  const called = new Set(calls(tokens(sql)).map(({ name }) => name));
  const own = new Set(defined.map(({ name }) => name.toUpperCase()));
  const found = MISSING.filter(({ name }) => called.has(name) && !own.has(name));
  return [...partsOf(found.map(({ body }) => body).join()), ...found];
}

/** The calls of functions that the engine does not run, with the function to call in each place and those that it calls. */
export function replacedCalls(all: Tokens) {
  return calls(all).flatMap(({ name, start, end }) => {
    const functions = REPLACED.get(name);
    return functions ? { functions, start, end } : [];
  });
}

/** The functions of parts.sql that a text calls. */
export function partsOf(sql: string): SqlFunction[] {
  return PARTS.filter(({ name }) => sql.includes(name));
}

/** The called functions, with their upper-case names; `HLL_COUNT.INIT` is one. */
function calls(all: Tokens): { name: string; start: number; end: number }[] {
  return all.flatMap((token, index) => {
    if (!isSymbol(all[index + 1], '(') || token.kind !== 'word') return [];
    const outer = isSymbol(all[index - 1], '.') ? all[index - 2] : undefined;
    const path = outer && !isWord(outer, 'SAFE') ? [outer, token] : [token];
    return { name: path.map(({ text }) => text.toUpperCase()).join('.'), ...placeOf(path) };
  });
}

function definitionsIn(file: string): SqlFunction[] {
  const definition =
    /^CREATE TEMP (AGGREGATE )?FUNCTION ([\w.]+)\((.*)\)(?: RETURNS (\S+))? AS \(\n([^]*?)\n\);$/gm;
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  const all = text.replaceAll(/^CREATE TEMP FUNCTION \w*\{type\}[^]*?^\);\n/gm, (ofTypes) =>
    TYPES.map((type) => ofTypes.replaceAll('{type}', type)).join(''),
  );
  return [...all.matchAll(definition)].map(
    ([, isAggregate, name = '', list, returned = '', body = '']) => {
      const returnType = typeNamed(returned);
      return {
        ...{ name, body, arguments: list ? list.split(', ').map(argumentOf) : [] },
        ...(isAggregate && { isAggregate: true }),
        ...(returnType && { returnType }),
      };
    },
  );
}

function argumentOf(text: string): FunctionArgument {
  const [, name = '', typeName = '', constant, ifAbsent] =
    /^(\w+) (ANY TYPE|\S+)( NOT AGGREGATE)?(?: DEFAULT (.+))?$/.exec(text) ?? [];
  const type = typeNamed(typeName);
  return {
    name,
    ...(type && { type }),
    ...(constant && { isNotAggregate: true }),
    ...(ifAbsent && { ifAbsent }),
  };
}

/** Undefined for any type. */
function typeNamed(name: string): EngineType | undefined {
  const [, element] = /^ARRAY<(\w+)>$/.exec(name) ?? [];
  const typeKind = kindOf(element ?? name);
  const type = typeKind === undefined ? undefined : { typeKind };
  return type && element ? arrayOf(type) : type;
}
