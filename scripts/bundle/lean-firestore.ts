// An esbuild plugin that removes unused parts of Firestore's client, for a faster cold start.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

const FIRESTORE = '@google-cloud/firestore-api/build';
const GAX = 'google-gax/build';

/** The replacement of a file, computed from its text, by the end of its path: CommonJS or JSON. */
const LEFT_OUT: Readonly<Record<string, (text: string) => string>> = {
  // Terraform administers the database, not a function.
  [`${FIRESTORE}/src/v1/firestore_admin_client.js`]: () =>
    'exports.FirestoreAdminClient = class {};',
  [`${FIRESTORE}/protos/protos.json`]: onlyDocuments,
  // Compiled message classes: documents are read by reflection, and only pipelines use one of these.
  [`${FIRESTORE}/protos/protos.js`]: () => `
    class Value { static fromObject() { throw new Error('Pipelines are not in this bundle.'); } }
    exports.google = { firestore: { v1: { Value } } };`,
  [`${GAX}/protos/iam_service.js`]: () => 'module.exports = {};',
  [`${GAX}/protos/locations.js`]: () => 'module.exports = {};',
  [`${GAX}/protos/operations.js`]: () => 'module.exports = {};',
  // Each client creates one, to list the locations of a service.
  [`${GAX}/src/locationService.js`]: () => 'exports.LocationsClient = class { async close() {} };',
};

/** Fails the build if a file is missing, so that a new version of the client is reviewed. */
export function leanFirestore(): Plugin {
  return {
    name: 'lean-firestore',
    setup(build) {
      const missing = new Set(Object.keys(LEFT_OUT));
      build.onLoad({ filter: /\/(firestore-api|google-gax)\/build\// }, ({ path }) => {
        const [file, replace] =
          Object.entries(LEFT_OUT).find(([end]) => path.endsWith(`/${end}`)) ?? [];
        if (file === undefined || replace === undefined) return undefined;
        missing.delete(file);
        const contents = replace(readFileSync(path, 'utf8'));
        return { contents, loader: path.endsWith('.json') ? 'json' : 'js' };
      });
      build.onEnd(() => ({
        errors: [...missing].map((file) => ({ text: `${file} is not part of the bundle` })),
      }));
    },
  };
}

/** All message descriptions except those of administration, HTTP and descriptors: each start reads all of them. */
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
