// An esbuild plugin that removes unused parts of Firestore's client, for a faster cold start.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

interface LeftOut {
  file: string;
  /** Makes the replacement from the file's text; CommonJS or JSON. */
  replace: (text: string) => string;
}

const FIRESTORE = '@google-cloud/firestore-api/build';
const GAX = 'google-gax/build';

const NOTHING = (): string => 'module.exports = {};';

const LEFT_OUT: readonly LeftOut[] = [
  // Terraform administers the database, not a function.
  {
    file: `${FIRESTORE}/src/v1/firestore_admin_client.js`,
    replace: () => 'exports.FirestoreAdminClient = class {};',
  },
  { file: `${FIRESTORE}/protos/protos.json`, replace: onlyDocuments },
  // Compiled message classes: documents are read by reflection, and only pipelines use one of these.
  {
    file: `${FIRESTORE}/protos/protos.js`,
    replace: () => `
      class Value { static fromObject() { throw new Error('Pipelines are not in this bundle.'); } }
      exports.google = { firestore: { v1: { Value } } };`,
  },
  { file: `${GAX}/protos/iam_service.js`, replace: NOTHING },
  { file: `${GAX}/protos/locations.js`, replace: NOTHING },
  { file: `${GAX}/protos/operations.js`, replace: NOTHING },
  // Each client creates one, to list the locations of a service.
  {
    file: `${GAX}/src/locationService.js`,
    replace: () => 'exports.LocationsClient = class { async close() {} };',
  },
];

/** Fails the build if a file is missing, so that a new version of the client is reviewed. */
export function leanFirestore(): Plugin {
  return {
    name: 'lean-firestore',
    setup(build) {
      const missing = new Set(LEFT_OUT.map(({ file }) => file));
      build.onLoad({ filter: /[\\/](firestore-api|google-gax)[\\/]build[\\/]/ }, ({ path }) => {
        const unixPath = path.replaceAll('\\', '/');
        const found = LEFT_OUT.find(({ file }) => unixPath.endsWith(`/${file}`));
        if (found === undefined) return undefined;
        missing.delete(found.file);
        const contents = found.replace(readFileSync(path, 'utf8'));
        return { contents, loader: path.endsWith('.json') ? 'json' : 'js' };
      });
      build.onEnd(() => ({
        errors: [...missing].map((file) => ({ text: `${file} is not part of the bundle` })),
      }));
    },
  };
}

/** The descriptions of messages but those of administration, HTTP and descriptors: each start walks through all. */
function onlyDocuments(text: string): string {
  const root = JSON.parse(text, (key, value: unknown) =>
    key.startsWith('(google.api.') ? undefined : value,
  ) as Namespace;
  const google = root.nested?.google?.nested ?? {};
  delete google.firestore?.nested?.admin;
  delete google.longrunning;
  delete google.api;
  const wellKnown = google.protobuf?.nested ?? {};
  for (const name of Object.keys(wellKnown)) {
    if (!VALUE_TYPES.test(name)) delete wellKnown[name];
  }
  return JSON.stringify(root);
}

/** The messages of google.protobuf that documents, queries and errors use. */
const VALUE_TYPES = /^(Timestamp|Duration|Empty|Any|Struct|Value|NullValue|ListValue|\w+Value)$/;

interface Namespace {
  nested?: Record<string, Namespace>;
}
