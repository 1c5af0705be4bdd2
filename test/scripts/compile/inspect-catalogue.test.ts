// Tests of loading a `sql/` directory: which endpoints it has, and which faults stop the service at its start.
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../../support/sql/fake-sql-tree.ts';
import { casesBeside } from '../../support/cases.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { testCatalogue } from '../../support/sql/test-sql.ts';
import { definitionOf, runTranscript, transcriptsOf } from '../../support/sql/transcripts.ts';

const cases = casesBeside(import.meta.filename);
const wrong = readExpectations('test/scripts/compile/wrong-definitions.txt');

function faultsOf({ directory }: FakeSqlTree): string {
  const { endpoints, faults } = inspectCatalogue(directory);
  const all = [...faults, ...endpoints.flatMap((inspected) => inspected.faults)];
  return all.map(({ file, message }) => `${file}: ${message}\n`).join('');
}

it.each(transcriptsOf('test/scripts/compile/inspect-catalogue.txt'))('%s', (_, transcript) => {
  let firstDigest: string | undefined;
  return runTranscript(transcript, new FakeSqlTree(), {
    faults: faultsOf,
    sent: (tree) => tree.load().sql,
    batch: (tree) => `\n${tree.load().warming?.sql}`,
    /** Compared with that of the first time. */
    digest(tree) {
      const { resultDigest } = tree.load();
      const before = firstDigest;
      firstDigest ??= resultDigest;
      if (before === undefined) return 'first';
      return before === resultDigest ? 'the same\n' : 'another\n';
    },
  });
});

it.each(cases<[what: string, idOrName: string, expected: string | null]>('names'))(
  'an endpoint is found by %s: %s',
  (_name, idOrName, expected) => {
    expect(testCatalogue().resolve(idOrName)?.name).toBe(expected ?? undefined);
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

/** Fields of the definition, or another query. */
interface Edit extends Record<string, unknown> {
  sql?: string;
  warm?: string;
  isReversed?: boolean;
}

// Whatever is edited together, results stay exactly if all edits are harmless.
it.each([
  ...cases<[string, Edit]>('harmless edits').map((one) => ['is kept', ...one] as const),
  ...cases<[string, Edit]>('harmful edits').map((one) => ['changes', ...one] as const),
])('the result digest %s with %s, which takes effect at once', (expected, _, change) => {
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
  const [before, after] = [edited({}), edited(change)];
  const isKept = after.resultDigest === before.resultDigest;
  expect(isKept ? 'is kept' : 'changes').toBe(expected);
  expect(after.definitionDigest).not.toBe(before.definitionDigest);
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
