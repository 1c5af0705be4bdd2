// Lint rules for the imports between the rooms of functions/ and of scripts/: each may import what is listed here, and nothing else.
import * as parser from '@typescript-eslint/parser';

/**
 * A room uses the rooms below it in this table, never those above (functions/README.md shows the
 * order). `packages` may end with `*`. The files at the top of functions/ put the rooms in order.
 */
const ROOMS = {
  mcp: {
    rooms: ['http', 'results', 'endpoints', 'core'],
    packages: ['@modelcontextprotocol/server', 'node:http', 'node:zlib'],
  },
  http: {
    rooms: ['warming', 'results', 'keys', 'endpoints', 'core'],
    packages: [
      '@google-cloud/functions-framework',
      'node:crypto',
      'node:domain',
      'node:fs',
      'node:http',
      'node:net',
      'node:stream',
      'node:zlib',
    ],
  },
  warming: { rooms: ['results', 'keys', 'endpoints', 'core'], packages: [] },
  results: {
    rooms: ['keys', 'endpoints', 'core'],
    packages: ['lru-cache', 'node:crypto', 'node:stream/promises', 'node:zlib'],
  },
  keys: { rooms: ['endpoints', 'core'], packages: ['lru-cache'] },
  endpoints: {
    rooms: ['core'],
    packages: ['ajv-formats/dist/formats.js', 'lru-cache', 're2js', 'node:fs'],
  },
  google: {
    rooms: ['core'],
    packages: [
      '@google-cloud/bigquery',
      '@google-cloud/firestore',
      'google-auth-library',
      'node:crypto',
      'node:stream',
    ],
  },
  core: { rooms: [], packages: ['node:crypto'] },
};

/** Of the files at the top: which rooms, which of their neighbours, and which packages. */
const inRooms = Object.keys(ROOMS).filter((room) => room !== 'google');
const ROOT_FILES = {
  'index.ts': {
    rooms: Object.keys(ROOMS),
    neighbours: ['clock', 'config', 'log', 'process-output', 'query', 'shutdown', 'warm'],
    packages: ['@google-cloud/functions-framework', 'node:diagnostics_channel'],
  },
  'start.ts': { rooms: [], neighbours: ['index'], packages: ['node:module'] },
  'query.ts': {
    rooms: inRooms,
    neighbours: ['shutdown'],
    packages: ['@google-cloud/functions-framework'],
  },
  'warm.ts': {
    rooms: inRooms,
    neighbours: ['shutdown'],
    packages: ['@google-cloud/functions-framework', 'node:crypto'],
  },
  'shutdown.ts': { rooms: ['http', 'core'], packages: ['node:http', 'node:net'] },
  'config.ts': { rooms: [], packages: [] },
  'clock.ts': { rooms: ['core'], packages: ['node:timers/promises'] },
  'log.ts': { rooms: ['core'], packages: ['node:async_hooks'] },
  'process-output.ts': { rooms: ['core'], packages: ['node:console', 'node:stream'] },
};

/**
 * The rooms of scripts/, by the same rule (scripts/README.md shows the order). `functions` lists rooms and files of
 * functions/, `data` JSON files of the project. Others import of the local BigQuery its entry file alone.
 */
const SCRIPT_ROOMS = {
  new: {
    rooms: ['start', 'check', 'compile', 'sources', 'local-bigquery', 'lexer', 'faults', 'cli'],
    functions: ['google', 'endpoints', 'core'],
    data: ['sql/endpoint.schema.json'],
    packages: ['node:*', 'prettier'],
  },
  keys: {
    rooms: ['cli'],
    functions: ['google', 'keys', 'endpoints', 'core', 'clock.ts'],
    packages: ['@google-cloud/firestore', 'node:crypto', 'node:util'],
  },
  warm: {
    rooms: ['cli'],
    functions: ['google', 'core'],
    packages: ['@google-cloud/firestore', '@google-cloud/scheduler', '@grpc/grpc-js', 'node:*'],
  },
  deploy: {
    rooms: ['sources', 'local-bigquery', 'cli'],
    functions: ['core', 'config.ts', 'console/shell-quote.ts'],
    data: ['infra/defaults.json'],
    packages: ['node:path'],
  },
  docs: {
    rooms: ['deploy', 'cli'],
    functions: ['core', 'config.ts'],
    data: ['sql/endpoint.schema.json', 'sql/table.schema.json'],
    packages: ['@commander-js/extra-typings', 'node:fs', 'node:path', 'prettier'],
  },
  bundle: {
    rooms: ['check', 'compile', 'local-bigquery'],
    functions: ['endpoints', 'core'],
    packages: ['esbuild', 'node:fs', 'node:path'],
  },
  start: {
    rooms: ['check', 'compile', 'sources', 'local-bigquery', 'lexer', 'faults', 'cli'],
    functions: ['http', 'google', 'keys', 'endpoints', 'core', 'config.ts', 'index.ts', 'log.ts'],
    packages: [
      './sample-traffic.json',
      '@firestore-emulator/server',
      '@grpc/grpc-js',
      'chokidar',
      'node:*',
    ],
  },
  check: {
    rooms: ['compile', 'sources', 'local-bigquery', 'lexer', 'faults', 'cli'],
    functions: ['google', 'results', 'endpoints', 'core', 'clock.ts', 'config.ts'],
    data: ['sql/endpoint.schema.json', 'sql/tests.schema.json'],
    packages: [
      'jsonc-parser',
      'node:buffer',
      'node:child_process',
      'node:fs',
      'node:fs/promises',
      'node:path',
      'node:util',
      'node:zlib',
      'prettier',
    ],
  },
  compile: {
    rooms: ['lexer', 'faults', 'cli'],
    functions: ['endpoints', 'core'],
    packages: ['esbuild', 're2js', 'node:fs', 'node:fs/promises', 'node:path'],
  },
  sources: {
    rooms: ['local-bigquery', 'faults', 'cli'],
    functions: ['endpoints', 'core'],
    data: ['sql/table.schema.json'],
    packages: ['node:*'],
  },
  'local-bigquery': {
    inner: {
      rest: {
        rooms: ['dialect', 'analysis', 'values', 'engine'],
        packages: ['lru-cache', 'node:crypto', 'node:http', 'node:net', 'node:timers/promises'],
      },
      dialect: {
        rooms: ['analysis', 'values', 'engine'],
        packages: ['./engine-features.json', 'node:fs', 'node:path', 'node:util'],
      },
      analysis: { rooms: ['values', 'engine'], packages: [] },
      values: { rooms: ['engine'], packages: [] },
      engine: { rooms: [], packages: ['@grpc/grpc-js', 'protobufjs', 'node:*'] },
    },
    rooms: ['lexer', 'faults', 'cli/refuse-pages.ts', 'cli/tcp-ports.ts'],
    functions: ['core'],
  },
  lexer: { rooms: [], packages: ['lru-cache'] },
  faults: {
    rooms: [],
    functions: ['core'],
    packages: ['ajv', 'ajv-formats', 'jsonc-parser', 'node:buffer', 'node:fs'],
  },
  cli: {
    rooms: [],
    functions: ['core', 'config.ts'],
    packages: ['@commander-js/extra-typings', 'google-auth-library', 'node:*'],
  },
};

const FILE = '[a-z0-9-]+\\.ts';
/** A file of a room of scripts/, which may have folders. */
const NESTED = `(?:[a-z0-9-]+/)*${FILE}`;
/** A name as a pattern; it may end with `*`. */
const escape = (text) => text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*$/, '[a-z_/]+');

/** The rule that refuses every import but the listed ones, static and dynamic. */
function only(patterns, message, ambient = NOT_OF_THIS_WORLD, paths = []) {
  const allowed = `^(?:${patterns.join('|')})$`;
  return {
    'no-restricted-imports': [
      'error',
      { paths, patterns: [{ regex: `^(?!${allowed.slice(1)})`, message }] },
    ],
    'no-restricted-syntax': [
      'error',
      {
        selector: `ImportExpression:not([source.value=/${allowed.replaceAll('/', '\\/')}/])`,
        message,
      },
      ...ambient,
    ],
  };
}

/** What reads time or chance through a name that the language itself has. */
const NOT_OF_THIS_WORLD = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Time is an argument: see core/clock.ts.',
  },
  {
    selector: "CallExpression[callee.name='Date']",
    message: 'Time is an argument: see core/clock.ts.',
  },
];
const AMBIENT = [
  {
    object: 'process',
    property: 'env',
    message: 'Settings are arguments: see functions/config.ts.',
  },
  { object: 'Date', property: 'now', message: 'Time is an argument: see core/clock.ts.' },
];

const room = (name, { rooms, packages }) => ({
  files: [`functions/${name}/**/*.ts`],
  rules: {
    ...only(
      [`\\./${FILE}`, ...rooms.map((below) => `\\.\\./${below}/${FILE}`), ...packages.map(escape)],
      `functions/${name}/ may import its own files, ${[...rooms, ...packages].join(', ') || 'and nothing else'}.`,
    ),
    'no-restricted-properties': ['error', ...AMBIENT],
  },
});

const rootFile = (name, { rooms, neighbours = [], packages }) => ({
  files: [`functions/${name}`],
  rules: {
    ...only(
      [
        ...neighbours.map((file) => `\\./${file}\\.ts`),
        ...rooms.map((below) => `\\./${below}/${FILE}`),
        ...packages.map(escape),
      ],
      `functions/${name} may import ${[...neighbours, ...rooms, ...packages].join(', ') || 'nothing'}.`,
    ),
    'no-restricted-properties': [
      'error',
      ...AMBIENT.filter(({ object }) => name !== { process: 'index.ts', Date: 'clock.ts' }[object]),
    ],
  },
});

/**
 * Of the folders of the console: which of its files each may import. The chart needs nothing but itself, so that it
 * can be used outside the page; its plan needs no browser.
 */
const CONSOLE = {
  console: [`\\./${FILE}`, `\\./(?:call|finding|form|result|chart|tabs)/${NESTED}`],
  'console/call': [`\\./${NESTED}`, `\\.\\./${FILE}`, `\\.\\./form/${FILE}`],
  'console/call/snippets': [`\\./${FILE}`, `\\.\\./\\.\\./${FILE}`],
  'console/finding': [`\\./${FILE}`, `\\.\\./${FILE}`, `\\.\\./call/${FILE}`],
  'console/tabs': [`\\./${FILE}`, `\\.\\./${FILE}`, `\\.\\./form/${FILE}`],
  'console/form': [`\\./${FILE}`, `\\.\\./${FILE}`],
  'console/result': [
    `\\./${FILE}`,
    `\\./table/${FILE}`,
    `\\.\\./${FILE}`,
    `\\.\\./(?:form|chart)/${NESTED}`,
  ],
  'console/result/table': [`\\./${FILE}`, `\\.\\./\\.\\./(?:${FILE}|chart/${NESTED})`],
  'console/chart': [`\\./${NESTED}`],
  'console/chart/drawing': [`\\./${FILE}`, `\\.\\./plan/${FILE}`],
  'console/chart/plan': [`\\./${FILE}`],
};

/** Up from a file in so many folders. */
const up = (folders) => '\\.\\./'.repeat(folders);

/** What a file of scripts/ may import of functions/ and of data, so many folders below the project. */
const ofProject = (folders, { functions = [], data = [] }) =>
  [
    ...functions.map(
      (name) => `functions/${name.endsWith('.ts') ? escape(name) : `${name}/${FILE}`}`,
    ),
    ...data.map(escape),
  ].map((path) => up(folders) + path);

/** Of rooms beside this one, or single files of them: of the local BigQuery the entry. */
const beside = (folders, rooms) =>
  rooms.map((name) => {
    if (name.endsWith('.ts')) return up(folders) + escape(name);
    return `${up(folders)}${name}/${name === 'local-bigquery' ? 'index\\.ts' : NESTED}`;
  });

/** Rules for the files of a room and for those of its folders; `path` is that of the room in scripts/. */
const scriptRoom = (path, allowed, outer = { rooms: [] }) =>
  [0, 1].map((inside) => {
    const depth = path.split('/').length;
    const { rooms, packages } = allowed;
    const patterns = [
      `\\./${NESTED}`,
      ...(inside === 0 ? [] : [`\\.\\./${NESTED}`]),
      ...beside(inside + 1, rooms),
      ...beside(inside + 2, outer.rooms),
      ...ofProject(inside + depth + 1, { ...outer, ...allowed }),
      ...packages.map(escape),
    ];
    const named = [...rooms, ...outer.rooms, ...packages].join(', ') || 'nothing else';
    return {
      files: [`scripts/${path}/${'*/'.repeat(inside)}*.ts`],
      rules: only(patterns, `scripts/${path}/ may import its own files, ${named}.`, []),
    };
  });

const { inner: INNER_ROOMS, ...OUTSIDE_LOCAL_BIGQUERY } = SCRIPT_ROOMS['local-bigquery'];
const scriptWalls = [
  {
    // A file in a room that is not in the list may import nothing.
    files: ['scripts/**/*.ts'],
    rules: only([], 'List the room in eslint.walls.js.', []),
  },
  {
    // A command: what is in its room, and in those below it.
    files: ['scripts/*.ts'],
    rules: only(
      [
        ...Object.keys(SCRIPT_ROOMS).map(
          (name) => `\\./${name}/${name === 'local-bigquery' ? 'index\\.ts' : NESTED}`,
        ),
        ...ofProject(1, {
          functions: ['http', 'google', 'endpoints', 'core', 'clock.ts', 'config.ts'],
          data: ['sql/endpoint.schema.json'],
        }),
        ...['@commander-js/extra-typings', 'fflate', 'node:*'].map(escape),
      ],
      'A command may import rooms of scripts/ and of functions/.',
      [],
    ),
  },
  ...Object.entries(SCRIPT_ROOMS)
    .filter(([name]) => name !== 'local-bigquery')
    .flatMap(([name, allowed]) => scriptRoom(name, allowed)),
  ...Object.entries(INNER_ROOMS).flatMap(([name, allowed]) =>
    scriptRoom(`local-bigquery/${name}`, allowed, OUTSIDE_LOCAL_BIGQUERY),
  ),
  {
    files: ['scripts/local-bigquery/index.ts'],
    rules: only(
      Object.keys(INNER_ROOMS).map((name) => `\\./${name}/${NESTED}`),
      'The entry of the local BigQuery has nothing but its rooms.',
      [],
    ),
  },
];

/** The only file that may import commands: those of package.json, for their options. */
const ALL_COMMANDS = 'scripts/docs/command-sections.ts';

/** Needs no types, so that a test can put forbidden things in and look. */
export const walls = [
  { files: ['functions/**/*.ts', 'scripts/**/*.ts'], languageOptions: { parser } },
  ...Object.entries(ROOMS).map(([name, allowed]) => room(name, allowed)),
  ...Object.entries(ROOT_FILES).map(([name, allowed]) => rootFile(name, allowed)),
  ...scriptWalls,
  { files: [ALL_COMMANDS], rules: { 'no-restricted-syntax': 'off' } },
  {
    // A file at the top of functions/ that is not in the list may import nothing.
    files: ['functions/*.ts'],
    ignores: Object.keys(ROOT_FILES).map((name) => `functions/${name}`),
    rules: only([], 'List the file in eslint.walls.js.'),
  },
  {
    // Nothing of time, network, process or chance: whatever is not in the language is not defined.
    files: ['functions/core/**/*.ts'],
    languageOptions: {
      globals: {
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        Buffer: 'readonly',
        globalThis: 'off',
        Atomics: 'off',
        SharedArrayBuffer: 'off',
        WebAssembly: 'off',
      },
    },
    rules: {
      'no-undef': 'error',
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-restricted-properties': [
        'error',
        ...AMBIENT,
        { object: 'Math', property: 'random', message: 'Chance is an argument.' },
        { object: 'AbortSignal', property: 'timeout', message: 'Time is an argument.' },
      ],
      ...only(
        [`\\./${FILE}`, ...ROOMS.core.packages],
        'functions/core/ may import its own files, node:crypto.',
        NOT_OF_THIS_WORLD,
        [
          {
            name: 'node:crypto',
            allowImportNames: ['hash', 'Hash'],
            message: 'Of node:crypto only hashes: all else is chance.',
          },
        ],
      ),
    },
  },
  ...Object.entries(CONSOLE).map(([folder, own]) => {
    const toFunctions = up(folder.split('/').length);
    const types = folder.startsWith('console/chart')
      ? ''
      : `|${toFunctions}(?:core|endpoints)/${FILE}`;
    return {
      files: [`functions/${folder}/*.ts`],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                regex: `^(?!(?:${own.join('|')}${types})$)`,
                message: `functions/${folder}/ may import its own files, those below, and types.`,
              },
              {
                regex: `^${toFunctions}(?:core|endpoints)/`,
                allowTypeImports: true,
                message: 'Types only: nothing of the service runs in the browser.',
              },
            ],
          },
        ],
      },
    };
  }),
];
