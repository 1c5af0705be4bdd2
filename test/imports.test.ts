// Draws who imports what in functions/ and scripts/, types included: no circle, no arrow up, no export without a user.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript';

/** Rooms in their order: each uses what stands after it. Those between two arrows do not use each other. */
const ORDERS: Readonly<Record<string, string>> = {
  functions: 'mcp > http > warming > results > keys > endpoints > google > core',
  scripts:
    'docs > doctor > new keys warm deploy bundle > start > check > compile > sources > local-bigquery > lexer faults > cli',
  'scripts/local-bigquery': 'rest > dialect > analysis > values > engine',
};

/** Commands are run, and not imported. */
const ENTRY_POINTS = /^scripts\/[a-z-]+\.ts main$/;

interface Parsed {
  /** Paths of files of the project. */
  imports: string[];
  /** `path name`; `path *` for all names of it. */
  used: string[];
  exported: string[];
}

const parsed = new Map(['functions', 'scripts', 'test'].flatMap(filesIn).map(parse));
const product = new Map([...parsed].filter(([file]) => !file.startsWith('test/')));

function filesIn(tree: string): string[] {
  return readdirSync(tree, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/(?:^|\/)(?:dist|node_modules)\//.test(file))
    .map((file) => join(tree, file));
}

function parse(file: string): [string, Parsed] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: Parsed = { imports: [], used: [], exported: [] };
  const uses = (specifier: ts.Node | undefined, names: readonly string[]): void => {
    if (!specifier || !ts.isStringLiteral(specifier) || !/^\.{1,2}\//.test(specifier.text)) return;
    const path = normalize(join(dirname(file), specifier.text));
    found.imports.push(path);
    found.used.push(...names.map((name) => `${path} ${name}`));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      uses(node.moduleSpecifier, namesOf(node.importClause?.namedBindings));
    } else if (ts.isExportDeclaration(node)) {
      uses(node.moduleSpecifier, namesOf(node.exportClause));
      if (node.exportClause && ts.isNamedExports(node.exportClause)) {
        found.exported.push(...node.exportClause.elements.map(({ name }) => name.text));
      }
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      uses(node.argument.literal, ['*']);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      uses(node.arguments[0], ['*']);
    } else if (isExported(node)) found.exported.push(...declared(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [file, found];
}

function namesOf(
  bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined,
): readonly string[] {
  if (bindings === undefined || !('elements' in bindings)) return ['*'];
  return bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

function isExported(node: ts.Node): boolean {
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function declared(node: ts.Node): string[] {
  const names = ts.isVariableStatement(node)
    ? node.declarationList.declarations.map(({ name }) => name)
    : [(node as ts.DeclarationStatement).name];
  return names.flatMap((name) => (name && ts.isIdentifier(name) ? name.text : []));
}

/** The files that are part of a circle, or import one that is. */
function circular(files: ReadonlyMap<string, Pick<Parsed, 'imports'>>): string[] {
  const left = new Map(files);
  for (let count = Infinity; left.size < count;) {
    count = left.size;
    for (const [file, { imports }] of left) {
      if (!imports.some((path) => left.has(path))) left.delete(file);
    }
  }
  return [...left.keys()];
}

it('has no circular imports', () => {
  const files = { a: ['b'], b: ['c'], c: ['d', 'b'], d: [] };
  const parsed = Object.entries(files).map(([file, imports]) => [file, { imports }] as const);
  expect(circular(new Map(parsed))).toEqual(['a', 'b', 'c']);
  expect(circular(product)).toEqual([]);
});

it.each(Object.entries(ORDERS))('no folder of %s/ imports from one above it', (tree, order) => {
  const roomOf = (file: string): string | undefined =>
    file.startsWith(`${tree}/`) ? /^([^/]+)\//.exec(relative(tree, file))?.[1] : undefined;
  const ranks = order.split(' > ').map((layers) => layers.split(' '));
  const rankOf = (layer: string): number => ranks.findIndex((layers) => layers.includes(layer));
  const up: string[] = [];
  for (const [file, { imports }] of product) {
    const from = roomOf(file);
    if (from === undefined || from === 'console') continue;
    expect([from, rankOf(from)]).not.toEqual([from, -1]);
    for (const path of imports) {
      const to = roomOf(path);
      const isInTree = path.startsWith(`${tree}/`) && path !== 'functions/index.ts';
      if (!isInTree || to === from) continue;
      if (to === undefined || rankOf(to) <= rankOf(from)) up.push(`${file} -> ${path}`);
    }
  }
  expect(up).toEqual([]);
});

it('functions/ imports nothing from scripts/, and neither imports from test/', () => {
  const outside = [...product].flatMap(([file, { imports }]) =>
    imports
      .filter(
        (path) => path.startsWith('test/') || (/^functions/.test(file) && /^scripts/.test(path)),
      )
      .map((path) => `${file} -> ${path}`),
  );
  expect(outside).toEqual([]);
});

it.each([
  ['scripts', 15],
  ['functions', 17],
])('%s/ has at most %i files per folder', (tree, countMax) => {
  const counts = new Map<string, number>();
  for (const file of filesIn(tree)) {
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > countMax)).toEqual([]);
});

it('every export is imported by another file', () => {
  const used = new Set([...parsed.values()].flatMap((file) => file.used));
  const unused = [...product].flatMap(([file, { exported }]) =>
    exported
      .filter((name) => !used.has(`${file} ${name}`) && !used.has(`${file} *`))
      .map((name) => `${file} ${name}`),
  );
  expect(unused.filter((place) => !ENTRY_POINTS.test(place))).toEqual([]);
});
