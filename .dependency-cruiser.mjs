// The order of the rooms: each uses what stands below it, never what stands above it or beside it. No circles.

/** From the top down; the rooms of one line do not use each other. */
const FUNCTIONS = [
  ['mcp'],
  ['http'],
  ['warming'],
  ['cache'],
  ['budgets'],
  ['keys'],
  ['endpoints'],
  ['core'],
];
const SCRIPTS = [
  ['doctor'],
  ['new', 'keys', 'warm', 'deploy', 'bundle'],
  ['start'],
  ['check'],
  ['compile'],
  ['sources'],
  ['local-bigquery'],
  ['lexer', 'faults'],
  ['cli'],
];
const LOCAL_BIGQUERY = [['rest'], ['dialect'], ['analysis'], ['values'], ['engine']];

/** Which packages a room of functions/ may use besides its own files; the console has what its page contains, and core only hashes. */
const PACKAGES = {
  mcp: ['@modelcontextprotocol/server'],
  http: ['@google-cloud/functions-framework', 'negotiator'],
  warming: [],
  cache: ['lru-cache'],
  budgets: [],
  keys: ['jose', 'lru-cache'],
  endpoints: ['ajv-formats', 'lru-cache', 're2js', 'big.js'],
  console: ['preact', 'uplot'],
  bigquery: ['@google-cloud/bigquery', 'google-auth-library'],
  firestore: ['@google-cloud/firestore', 'google-auth-library'],
};

/** A file of a room may not use the rooms above and beside its own, nor what lies directly in the folder. */
const inOrder = (folder, lines) =>
  lines.flatMap((line, rank) =>
    line.map((room) => ({
      name: `order of ${folder}: ${room}`,
      severity: 'error',
      from: { path: `^${folder}/${room}/` },
      to: {
        path: [
          // The type of the settings alone is for all.
          `^${folder}/(?!config)[^/]+\\.ts$`,
          ...lines
            .slice(0, rank + 1)
            .flat()
            .filter((other) => other !== room)
            .map((other) => `^${folder}/${other}/`),
        ],
      },
    })),
  );

const forbidden = (name, from, to) => ({ name, severity: 'error', from, to });
const rooms = (lines) => lines.flat().join('|');

export default {
  forbidden: [
    forbidden('no circle', { path: '^(functions|scripts)/' }, { circular: true }),
    forbidden(
      'no orphan',
      { orphan: true, path: '^(functions|scripts)/', pathNot: '[.]d[.]ts$' },
      {},
    ),
    ...inOrder('functions', FUNCTIONS),
    ...inOrder('scripts', SCRIPTS),
    ...inOrder('scripts/local-bigquery', LOCAL_BIGQUERY),
    forbidden(
      'a room that has no place in the order',
      { path: '^(functions|scripts)/[^/]+/' },
      {
        path: '^(functions|scripts)/[^/]+/',
        pathNot: `^functions/(${rooms(FUNCTIONS)}|bigquery|firestore|console)/|^scripts/(${rooms(SCRIPTS)})/`,
      },
    ),
    forbidden(
      'what plays the roles of core/ uses core/ alone',
      { path: '^functions/(bigquery|firestore)/' },
      { path: '^functions/', pathNot: '^functions/($1|core)/' },
    ),
    forbidden(
      'the composition root alone uses the clients of Google',
      { path: '^functions/', pathNot: '^functions/(bigquery/|firestore/|index\\.ts$)' },
      { path: '^functions/(bigquery|firestore)/' },
    ),
    forbidden(
      'the composition root is started, and not used',
      { path: '^functions/', pathNot: '^functions/start\\.ts$' },
      { path: '^functions/(index|start)\\.ts$' },
    ),
    forbidden(
      'the console has types of core/ and endpoints/ alone',
      { path: '^functions/console/' },
      {
        path: '^functions/',
        pathNot: '^functions/console/',
        dependencyTypesNot: ['type-only'],
      },
    ),
    forbidden(
      'types of other rooms in the console',
      { path: '^functions/console/' },
      { path: '^functions/', pathNot: '^functions/(console|core|endpoints)/' },
    ),
    forbidden(
      'the chart stands without the rest of the page',
      { path: '^functions/console/chart/' },
      { path: '^functions/', pathNot: '^functions/console/chart/' },
    ),
    forbidden(
      'the plan of a chart needs no browser',
      { path: '^functions/console/chart/plan/' },
      { path: '^functions/', pathNot: '^functions/console/chart/plan/' },
    ),
    forbidden(
      'nothing uses the console',
      { path: '^functions/', pathNot: '^functions/console/' },
      { path: '^functions/console/' },
    ),
    forbidden('functions/ stands alone', { path: '^functions/' }, { path: '^(scripts|test)/' }),
    forbidden('the product uses no test', { path: '^scripts/' }, { path: '^test/' }),
    forbidden(
      'the local BigQuery has one door',
      { path: '^scripts/', pathNot: '^scripts/local-bigquery/' },
      { path: '^scripts/local-bigquery/', pathNot: '^scripts/local-bigquery/index\\.ts$' },
    ),
    forbidden(
      'the local BigQuery knows no endpoint, command or folder',
      { path: '^scripts/local-bigquery/' },
      { path: '^functions/', pathNot: '^functions/core/' },
    ),
    forbidden(
      'what is deployed uses no devDependency',
      { path: '^functions/', pathNot: '^functions/console/' },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    ),
    ...Object.entries(PACKAGES).map(([room, packages]) =>
      forbidden(
        `packages of functions/${room}`,
        { path: `^functions/${room}/` },
        {
          path: 'node_modules/',
          pathNot: [...packages, '@types'].map((name) => `node_modules/${name}/`),
        },
      ),
    ),
    forbidden(
      'core/ has hashes and nothing else of Node.js',
      { path: '^functions/core/' },
      { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: '^(node:)?crypto$' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types'],
    },
  },
};
