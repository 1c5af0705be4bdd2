// Lint rules for the imports between the rooms of functions/: each room may import what is listed here, and nothing else.
import tseslint from 'typescript-eslint';

/**
 * A room uses the rooms below it in this table, never those above (functions/README.md shows the
 * order). `packages` may end with `*`. The files at the top of functions/ put the rooms in order.
 */
const ROOMS = {
  http: {
    rooms: ['warming', 'results', 'keys', 'endpoints', 'core'],
    packages: [
      '@google-cloud/functions-framework',
      'node:crypto',
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
    packages: ['ajv', 'ajv-formats', 'lru-cache', 're2js', 'node:fs', 'node:path'],
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

const FILE = '[a-z0-9-]+\\.ts';
const escape = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The rule that refuses every import but the listed ones, static and dynamic. */
function only(patterns, message) {
  const allowed = `^(?:${patterns.join('|')})$`;
  return {
    'no-restricted-imports': [
      'error',
      { patterns: [{ regex: `^(?!${allowed.slice(1)})`, message }] },
    ],
    'no-restricted-syntax': [
      'error',
      {
        selector: `ImportExpression:not([source.value=/${allowed.replaceAll('/', '\\/')}/])`,
        message,
      },
      ...NOT_OF_THIS_WORLD,
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

/** Needs no types, so that a test can put forbidden things in and look. */
export const walls = [
  { files: ['functions/**/*.ts'], languageOptions: { parser: tseslint.parser } },
  ...Object.entries(ROOMS).map(([name, allowed]) => room(name, allowed)),
  ...Object.entries(ROOT_FILES).map(([name, allowed]) => rootFile(name, allowed)),
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
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'node:crypto',
              allowImportNames: ['hash', 'Hash'],
              message: 'Of node:crypto only hashes: all else is chance.',
            },
          ],
        },
      ],
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
  },
  {
    // The console runs in a browser: of the service it knows types, and one pure function.
    files: ['functions/console/**/*.ts'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^(?!(?:\\./${FILE}|uplot|uplot/.+|\\.\\./(?:core|endpoints)/${FILE})$)`,
              message:
                'functions/console/ may import its own files, uPlot, types, and core/shell-quote.ts.',
            },
            {
              regex: '^\\.\\./(?:endpoints/|core/(?!shell-quote\\.ts$))',
              allowTypeImports: true,
              message: 'Types only: of the service just core/shell-quote.ts runs in the browser.',
            },
          ],
        },
      ],
    },
  },
];
