// Lint rules for the imports between the layers of functions/ and of scripts/: each may import what is listed here, and nothing else.
import * as parser from '@typescript-eslint/parser';

/**
 * A layer uses the layers below it in this table, never those above (functions/README.md shows the
 * order). `packages` may end with `*`. The files at the top of functions/ put the layers in order.
 */
const LAYERS = {
  mcp: {
    layers: ['http', 'results', 'endpoints', 'core'],
    packages: [
      '@modelcontextprotocol/server',
      'node:buffer',
      'node:http',
      './catalogue-tools.json',
    ],
  },
  http: {
    layers: ['warming', 'results', 'keys', 'endpoints', 'core'],
    packages: [
      '@google-cloud/functions-framework',
      'node:crypto',
      'node:domain',
      'node:fs',
      'node:http',
      'node:net',
      'node:stream',
      'node:zlib',
      './column-types.json',
      './openapi.json',
    ],
  },
  warming: { layers: ['results', 'keys', 'endpoints', 'core'], packages: [] },
  results: {
    layers: ['keys', 'endpoints', 'core'],
    packages: ['lru-cache', 'node:crypto', 'node:stream/promises', 'node:zlib'],
  },
  keys: { layers: ['endpoints', 'core'], packages: ['jose', 'lru-cache'] },
  endpoints: {
    layers: ['core'],
    packages: ['ajv-formats/dist/formats.js', 'lru-cache', 're2js', 'node:fs'],
  },
  google: {
    layers: ['core'],
    packages: [
      '@google-cloud/bigquery',
      '@google-cloud/firestore',
      'google-auth-library',
      'node:buffer',
      'node:crypto',
      'node:events',
      'node:stream',
      'node:zlib',
    ],
  },
  core: { layers: [], packages: ['node:crypto', './reasons.json'] },
};

/** Of the files at the top: which layers, which of their neighbours, and which packages. */
const inLayers = Object.keys(LAYERS).filter((layer) => layer !== 'google');
const ROOT_FILES = {
  'index.ts': {
    layers: Object.keys(LAYERS),
    neighbours: ['clock', 'config', 'log', 'process-output', 'query', 'shutdown', 'warm'],
    packages: ['@google-cloud/functions-framework', 'node:diagnostics_channel'],
  },
  'start.ts': { layers: [], neighbours: ['index'], packages: ['node:module', 'node:v8'] },
  'query.ts': {
    layers: inLayers,
    neighbours: ['shutdown'],
    packages: ['@google-cloud/functions-framework'],
  },
  'warm.ts': {
    layers: inLayers,
    neighbours: ['shutdown'],
    packages: ['@google-cloud/functions-framework', 'node:crypto'],
  },
  'shutdown.ts': { layers: ['http', 'core'], packages: ['node:http', 'node:net'] },
  'config.ts': { layers: [], packages: ['./settings.json'] },
  'clock.ts': { layers: ['core'], packages: ['node:timers/promises'] },
  'log.ts': { layers: ['core'], packages: ['node:async_hooks'] },
  'process-output.ts': { layers: ['core'], packages: ['node:console', 'node:stream'] },
};

/**
 * The layers of scripts/, by the same rule (scripts/README.md shows the order). `functions` lists layers and files of
 * functions/, `data` JSON files of the project. Others import of the local BigQuery its entry file alone.
 */
const SCRIPT_LAYERS = {
  doctor: {
    layers: ['keys', 'warm', 'deploy', 'check', 'sources', 'local-bigquery', 'cli'],
    functions: ['google', 'results', 'keys', 'endpoints', 'core', 'clock.ts', 'config.ts'],
    packages: ['@google-cloud/firestore', '@google-cloud/scheduler'],
  },
  new: {
    layers: ['start', 'check', 'compile', 'sources', 'local-bigquery', 'lexer', 'faults', 'cli'],
    functions: ['google', 'endpoints', 'core'],
    data: ['sql/endpoint.schema.json'],
    packages: ['./bucket-steps.json', './reserved-words.json', 'node:*', 'prettier'],
  },
  keys: {
    layers: ['faults', 'cli'],
    functions: ['google', 'keys', 'endpoints', 'core', 'clock.ts'],
    packages: ['@google-cloud/firestore', 'node:buffer', 'node:crypto', 'node:fs'],
  },
  warm: {
    layers: ['cli'],
    functions: ['google', 'core'],
    packages: ['@google-cloud/firestore', '@google-cloud/scheduler', '@grpc/grpc-js', 'node:*'],
  },
  deploy: {
    layers: ['sources', 'local-bigquery', 'cli'],
    functions: ['core', 'config.ts', 'console/shell-quote.ts'],
    data: ['infra/defaults.json'],
    packages: [
      './repeat.json',
      '@cdktn/hcl2json',
      '@commander-js/extra-typings',
      'node:fs',
      'node:path',
      'node:util',
    ],
  },
  bundle: {
    layers: ['check', 'compile', 'local-bigquery'],
    functions: ['endpoints', 'core'],
    packages: ['esbuild', 'node:fs', 'node:path'],
  },
  start: {
    layers: ['check', 'compile', 'sources', 'local-bigquery', 'lexer', 'faults', 'cli'],
    functions: [
      'http',
      'google',
      'keys',
      'endpoints',
      'core',
      'clock.ts',
      'config.ts',
      'index.ts',
      'log.ts',
    ],
    data: ['infra/defaults.json'],
    packages: [
      './sample-traffic.json',
      '@firestore-emulator/server',
      '@grpc/grpc-js',
      'chokidar',
      'node:*',
    ],
  },
  check: {
    layers: ['compile', 'sources', 'local-bigquery', 'lexer', 'faults', 'cli'],
    functions: ['google', 'results', 'endpoints', 'core', 'clock.ts', 'config.ts'],
    data: ['sql/endpoint.schema.json', 'sql/tests.schema.json'],
    packages: [
      './incremental-rules.json',
      './key-values.json',
      './pure-functions.json',
      './sql-remedies.json',
      'jsonc-parser',
      'node:buffer',
      'node:child_process',
      'node:fs',
      'node:fs/promises',
      'node:os',
      'node:path',
      'node:util',
      'node:zlib',
      'prettier',
    ],
  },
  compile: {
    layers: ['lexer', 'faults', 'cli'],
    functions: ['endpoints', 'core'],
    packages: ['esbuild', 're2js', 'terser', 'node:fs', 'node:fs/promises', 'node:path'],
  },
  sources: {
    layers: ['local-bigquery', 'faults', 'cli'],
    functions: ['endpoints', 'core'],
    data: ['sql/table.schema.json'],
    packages: ['node:*'],
  },
  'local-bigquery': {
    inner: {
      rest: {
        layers: ['dialect', 'analysis', 'values', 'engine'],
        packages: [
          './reasons.json',
          'lru-cache',
          'node:crypto',
          'node:http',
          'node:net',
          'node:timers/promises',
        ],
      },
      dialect: {
        layers: ['analysis', 'values', 'engine'],
        packages: [
          './engine-features.json',
          './engine-words.json',
          './not-run-here.json',
          './size-limits.json',
          'node:fs',
          'node:path',
          'node:util',
        ],
      },
      analysis: {
        layers: ['values', 'engine'],
        packages: ['./date-parts.json', './made-up.json', './pure-nodes.json'],
      },
      values: { layers: ['engine'], packages: ['./types.json'] },
      engine: { layers: [], packages: ['@grpc/grpc-js', 'protobufjs', 'node:*'] },
    },
    layers: ['lexer', 'faults', 'cli/refuse-pages.ts'],
    functions: ['core'],
  },
  lexer: { layers: [], packages: ['./words.json', 'lru-cache'] },
  faults: {
    layers: [],
    functions: ['core'],
    packages: [
      './schema-words.json',
      'ajv',
      'ajv-formats',
      'jsonc-parser',
      'node:buffer',
      'node:fs',
    ],
  },
  cli: {
    layers: [],
    functions: ['core', 'config.ts'],
    packages: ['@commander-js/extra-typings', 'google-auth-library', 'node:*'],
  },
};

const FILE = '[a-z0-9-]+\\.ts';
/** A file of a layer of scripts/, which may have folders. */
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

const layer = (name, { layers, packages }) => ({
  files: [`functions/${name}/**/*.ts`],
  rules: {
    ...only(
      [`\\./${FILE}`, ...layers.map((below) => `\\.\\./${below}/${FILE}`), ...packages.map(escape)],
      `functions/${name}/ may import its own files, ${[...layers, ...packages].join(', ') || 'and nothing else'}.`,
    ),
    'no-restricted-properties': ['error', ...AMBIENT],
  },
});

const rootFile = (name, { layers, neighbours = [], packages }) => ({
  files: [`functions/${name}`],
  rules: {
    ...only(
      [
        ...neighbours.map((file) => `\\./${file}\\.ts`),
        ...layers.map((below) => `\\./${below}/${FILE}`),
        ...packages.map(escape),
      ],
      `functions/${name} may import ${[...neighbours, ...layers, ...packages].join(', ') || 'nothing'}.`,
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
  'console/form': [`\\./${FILE}`, `\\.\\./${FILE}`, `\\.\\./chart/plan/${FILE}`],
  'console/result': [
    `\\./${FILE}`,
    `\\./(?:export|filter|nested|table)/${FILE}`,
    `\\.\\./${FILE}`,
    `\\.\\./(?:form|chart)/${NESTED}`,
  ],
  'console/result/export': [`\\./${FILE}`, `\\.\\./\\.\\./(?:${FILE}|chart/plan/${FILE})`],
  'console/result/filter': [
    `\\./${FILE}`,
    `\\.\\./(?:nested|table)/${FILE}`,
    `\\.\\./\\.\\./(?:${FILE}|chart/plan/${FILE})`,
  ],
  'console/result/nested': [`\\./${FILE}`, `\\.\\./\\.\\./${FILE}`],
  'console/result/table': [
    `\\./${FILE}`,
    `\\.\\./(?:make-dialog\\.ts|(?:filter|nested)/${FILE})`,
    `\\.\\./\\.\\./(?:${FILE}|(?:form|chart)/${NESTED})`,
  ],
  'console/chart': [`\\./${NESTED}`, '\\.\\./dom.ts'],
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

/** Of layers beside this one, or single files of them: of the local BigQuery the entry. */
const beside = (folders, layers) =>
  layers.map((name) => {
    if (name.endsWith('.ts')) return up(folders) + escape(name);
    return `${up(folders)}${name}/${name === 'local-bigquery' ? 'index\\.ts' : NESTED}`;
  });

/** Rules for the files of a layer and for those of its folders; `path` is that of the layer in scripts/. */
const scriptLayer = (path, allowed, outer = { layers: [] }) =>
  [0, 1].map((inside) => {
    const depth = path.split('/').length;
    const { layers, packages } = allowed;
    const patterns = [
      `\\./${NESTED}`,
      ...(inside === 0 ? [] : [`\\.\\./${NESTED}`]),
      ...beside(inside + 1, layers),
      ...beside(inside + 2, outer.layers),
      ...ofProject(inside + depth + 1, { ...outer, ...allowed }),
      ...packages.map(escape),
    ];
    const named = [...layers, ...outer.layers, ...packages].join(', ') || 'nothing else';
    return {
      files: [`scripts/${path}/${'*/'.repeat(inside)}*.ts`],
      rules: only(patterns, `scripts/${path}/ may import its own files, ${named}.`, []),
    };
  });

const { inner: INNER_LAYERS, ...OUTSIDE_LOCAL_BIGQUERY } = SCRIPT_LAYERS['local-bigquery'];
const scriptWalls = [
  {
    // A file in a layer that is not in the list may import nothing.
    files: ['scripts/**/*.ts'],
    rules: only([], 'List the layer in eslint.walls.js.', []),
  },
  {
    // A command: what is in its layer, and in those below it.
    files: ['scripts/*.ts'],
    rules: only(
      [
        ...Object.keys(SCRIPT_LAYERS).map(
          (name) => `\\./${name}/${name === 'local-bigquery' ? 'index\\.ts' : NESTED}`,
        ),
        ...ofProject(1, {
          functions: ['http', 'google', 'endpoints', 'core', 'clock.ts', 'config.ts'],
          data: ['sql/endpoint.schema.json'],
        }),
        ...['@commander-js/extra-typings', 'fflate', 'node:*'].map(escape),
      ],
      'A command may import layers of scripts/ and of functions/.',
      [],
    ),
  },
  ...Object.entries(SCRIPT_LAYERS)
    .filter(([name]) => name !== 'local-bigquery')
    .flatMap(([name, allowed]) => scriptLayer(name, allowed)),
  ...Object.entries(INNER_LAYERS).flatMap(([name, allowed]) =>
    scriptLayer(`local-bigquery/${name}`, allowed, OUTSIDE_LOCAL_BIGQUERY),
  ),
  {
    files: ['scripts/local-bigquery/index.ts'],
    rules: only(
      Object.keys(INNER_LAYERS).map((name) => `\\./${name}/${NESTED}`),
      'The entry of the local BigQuery has nothing but its layers.',
      [],
    ),
  },
];

/** Needs no types, so that a test can put forbidden things in and look. */
export const walls = [
  { files: ['functions/**/*.ts', 'scripts/**/*.ts'], languageOptions: { parser } },
  ...Object.entries(LAYERS).map(([name, allowed]) => layer(name, allowed)),
  ...Object.entries(ROOT_FILES).map(([name, allowed]) => rootFile(name, allowed)),
  ...scriptWalls,
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
        [`\\./${FILE}`, ...LAYERS.core.packages.map(escape)],
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
