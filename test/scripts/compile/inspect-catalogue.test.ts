// Tests of loading a `sql/` directory: which endpoints it has, and which faults stop the service at its start.
import { inspectCatalogue, loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../../support/sql/fake-sql-tree.ts';
import { casesBeside } from '../../support/cases.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';
import { definitionOf, runTranscript, transcriptsOf } from '../../support/sql/transcripts.ts';

const cases = casesBeside(import.meta.filename);
const wrong = readExpectations('test/scripts/compile/wrong-definitions.txt');

function faultsOf({ directory }: FakeSqlTree): string {
  const { endpoints, faults } = inspectCatalogue(directory);
  const all = [...faults, ...endpoints.flatMap((inspected) => inspected.faults)];
  return all.map(({ file, message }) => `${file}: ${message}\n`).join('');
}

const digests = new WeakMap<FakeSqlTree, string>();

it.each(transcriptsOf('test/scripts/compile/inspect-catalogue.txt'))('%s', (_, transcript) =>
  runTranscript(transcript, new FakeSqlTree(), {
    faults: faultsOf,
    sent: (tree) => tree.load().sql,
    batch: (tree) => `\n${tree.load().warming?.sql}`,
    /** Compared with that of the first time. */
    digest(tree) {
      const { resultDigest } = tree.load();
      const first = digests.get(tree);
      if (first === undefined) digests.set(tree, resultDigest);
      if (first === undefined) return 'first';
      return first === resultDigest ? 'the same\n' : 'another\n';
    },
  }),
);

const catalogue = loadCatalogue(TEST_SQL);

it.each(cases<[what: string, idOrName: string, expected: string | null]>('names'))(
  'an endpoint is found by %s: %s',
  (_name, idOrName, expected) => {
    expect(catalogue.resolve(idOrName)?.name).toBe(expected ?? undefined);
  },
);

const FILE = 'group.example/endpoint.json';

it.each(wrong.definitions ?? [])('a definition is rejected: %s', (json, fault) => {
  const tree = new FakeSqlTree().endpoint({ parameters: {}, ...definitionOf(json) });
  expect(faultsOf(tree)).toContain(`${FILE}: ${fault}`);
});

it.each(wrong.parameters ?? [])('a parameter is rejected: %s', (json, fault) => {
  const a = parameter(JSON.parse(json) as object);
  const tree = new FakeSqlTree().endpoint({ parameters: { a } });
  expect(faultsOf(tree)).toContain(`${FILE}: parameters.a${fault}`);
});

const ofBatch = (warming: unknown, warm = 'SELECT key, @b FROM UNNEST(@keys)'): string =>
  faultsOf(
    new FakeSqlTree().endpoint(
      { parameters: { a: parameter(), b: parameter(), c: parameter() }, warming },
      undefined,
      warm,
    ),
  );

it.each(wrong.warming ?? [])('warming is rejected: %s', (warming, fault) => {
  const message = ofBatch(JSON.parse(warming));
  expect(message).toContain(`${FILE}: `);
  expect(message).toContain(fault);
});

it.each(wrong['warm.sql'] ?? [])('a warm.sql is rejected: %s', (warm, fault) => {
  const message = ofBatch({ batchOver: ['c', 'a'], maxKeys: 10 }, warm);
  expect(message).toContain(`group.example/warm.sql: ${fault}`);
});

describe('the result digest', () => {
  /** Fields of the definition, or another query. */
  interface Edit extends Record<string, unknown> {
    sql?: string;
    warm?: string;
    isReversed?: boolean;
  }
  // Each edit of a definition is one of these; whatever is edited together, results stay exactly if all are harmless.
  const edited = (edit: Edit) => {
    const a = { type: 'STRING', required: false, description: 'A.', example: 'x' };
    const start = { parameters: { a }, warming: { batchOver: ['a'], maxKeys: 2 } };
    const { sql, warm, isReversed, ...fields } = { ...start, ...edit };
    const inOrder = Object.entries({ ...endpointDefinition(), ...fields });
    const definition = Object.fromEntries(isReversed ? inOrder.reverse() : inOrder);
    return new FakeSqlTree()
      .write('endpoints/group.example/endpoint.json', definition)
      .write('endpoints/group.example/query.sql', sql ?? 'SELECT 1, @a')
      .write('endpoints/group.example/warm.sql', warm ?? 'SELECT @keys')
      .load();
  };
  const plain = edited({});

  it.each(cases<[string, Edit]>('harmless edits'))(
    'is kept with %s, which takes effect at once',
    (_, edit) => {
      const changed = edited(edit);
      expect(changed.resultDigest).toBe(plain.resultDigest);
      expect(changed.definitionDigest).not.toBe(plain.definitionDigest);
    },
  );

  it.each(cases<[string, Edit]>('harmful edits'))('changes with %s', (_name, edit) => {
    expect(edited(edit).resultDigest).not.toBe(plain.resultDigest);
  });
});

it('reserves an id for the endpoint that is already served, even if another one precedes it', () => {
  const id = '11111111-2222-4333-8444-555555555555';
  const tree = new FakeSqlTree()
    .endpoint({ id, name: 'group.copy' })
    .endpoint({ id, name: 'group.old' });
  const faultsWith = (served: string[]): [string, string[]][] =>
    inspectCatalogue(tree.directory, served).endpoints.map(({ folder, faults }) => [
      folder,
      faults.map(({ message }) => message),
    ]);
  expect(faultsWith(['group.old'])).toEqual([
    ['group.copy', ['id is already used by group.old']],
    ['group.old', []],
  ]);
});
