// Finds changes of the endpoints since a git ref that may break callers; reads git's objects, without a checkout.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../../functions/core/describe-error.ts';
import type { EndpointDefinition } from '../../../functions/endpoints/endpoint.ts';
import schema from '../../../sql/endpoint.schema.json' with { type: 'json' };
import type { InspectedEndpoint } from '../../compile/inspect-endpoint.ts';
import { formatFault } from '../../faults/definition-fault.ts';
import type { CatalogueFault, DefinitionFault } from '../../faults/definition-fault.ts';
import { locateFaults, parseJsonDocument } from '../../faults/json-document.ts';
import { schemaCheck } from '../../faults/schema-error.ts';
import { compareDefinitions } from './compare-definitions.ts';

interface Change extends CatalogueFault {
  word: string;
  isBreaking: boolean;
}

interface ContractOptions {
  sql: string;
  ref: string;
  /** Whether an endpoint of this name is to be compared. */
  isMeant: (folder: string) => boolean;
  allowed: readonly string[];
}

/** `faults` are the changes that may break callers and are not allowed; `lines` are all other changes that callers can see. */
export function checkContract(
  inspected: readonly InspectedEndpoint[],
  earlier: readonly EarlierEndpoint[],
  { sql, ref, isMeant, allowed }: ContractOptions,
): { faults: DefinitionFault[]; lines: string[] } {
  const pairs = earlier
    .map(({ folder, read }) => {
      const id = 'definition' in read ? read.definition.id : undefined;
      const today =
        inspected.find((endpoint) => endpoint.folder === folder) ??
        inspected.find((endpoint) => id !== undefined && endpoint.id === id);
      return { folder, read, today };
    })
    .filter(({ folder, today }) => isMeant(today?.folder ?? folder));
  const added = inspected
    .filter((today) => isMeant(today.folder) && pairs.every((pair) => pair.today !== today))
    .map(({ folder, definitionFile }) => ({
      file: definitionFile,
      message: `the endpoint ${folder} is new`,
      word: folder,
      isBreaking: false,
    }));
  const changes = [...pairs.flatMap(changesOf), ...added];
  const breaking = changes.filter(({ isBreaking }) => isBreaking);
  const refused = breaking.filter(({ word }) => !allowed.includes(word));
  const stale = allowed.filter((name) => breaking.every(({ word }) => word !== name));
  const taken = changes.filter((change) => !refused.includes(change));
  const faults = [
    ...locate(refused, ({ word }) => `, which may break callers (--allow-breaking ${word})`),
    ...stale.map((word) => ({
      file: `--allow-breaking ${word}`,
      message: 'no change of this name may break callers',
    })),
  ];
  const lines = locate(taken, ({ isBreaking }) => (isBreaking ? ' (allowed)' : '')).map(
    (change) => `changed: ${formatFault(change)}`,
  );
  const isKept = faults.length === 0 && pairs.every(({ today }) => !today || today.endpoint);
  return { faults, lines: isKept ? [...lines, `ok  contract with ${ref}`] : lines };

  function changesOf({ folder, read, today }: (typeof pairs)[number]): Change[] {
    const whole = { word: folder, isBreaking: true };
    if (today === undefined) {
      const file = join(sql, 'endpoints', folder, 'endpoint.json');
      return [{ ...whole, file, message: `the endpoint ${folder} was removed` }];
    }
    const { endpoint, definitionFile: file } = today;
    // Its faults are reported already.
    if (endpoint === undefined) return [];
    if ('fault' in read) {
      const message = `cannot be compared with that of ${ref} (${read.fault}), so it counts as a change`;
      return [{ ...whole, file, message }];
    }
    const changed = compareDefinitions(read.definition, endpoint);
    return changed.map((change) => ({ ...change, file, word: folder + change.pointer }));
  }
}

function locate(changes: readonly Change[], remark: (change: Change) => string): DefinitionFault[] {
  return locateFaults(
    changes.map((change) => ({ ...change, message: change.message + remark(change) })),
  );
}

interface EarlierEndpoint {
  folder: string;
  /** Valid by today's schema; else its fault. */
  read: { definition: EndpointDefinition } | { fault: string };
}

type Env = Readonly<Record<string, string | undefined>>;

/** A partial clone fetches what it lacks. */
const GIT_TIMEOUT_MS = 60_000;

/** Git would read a ref that begins with `-` as an option. */
export function requireRef(ref: string): string {
  if (!ref.startsWith('-')) return ref;
  throw new Error(`--against ${ref}: a ref cannot begin with "-".`);
}

/** Throws an Error that states what to do if there is nothing to compare with. Follows no links or submodules. */
export function readDefinitionsAt(ref: string, directory: string, env: Env): EarlierEndpoint[] {
  const git = gitIn(directory, env);
  git('rev-parse', '--git-dir');
  let commit: string;
  try {
    commit = git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`).trim();
  } catch (cause) {
    throw new Error(
      `--against ${ref}: there is no such commit in this clone. To fetch all branches: git fetch origin '+refs/heads/*:refs/remotes/origin/*' (with --unshallow, if the clone is shallow)`,
      { cause },
    );
  }
  const files = git('ls-tree', '-r', '-z', '--name-only', commit, 'endpoints').split('\0');
  const found = files.flatMap((file) => {
    const [, folder] = /^endpoints\/([^/]+)\/endpoint\.json$/.exec(file) ?? [];
    return folder ? [{ folder, read: readDefinition(git('show', `${commit}:./${file}`)) }] : [];
  });
  if (found.length > 0) return found;
  throw new Error(
    `--against ${ref}: this commit has no endpoint in ${join(directory, 'endpoints')}, so nothing can be compared (links are not followed).`,
  );
}

function readDefinition(text: string): EarlierEndpoint['read'] {
  const document = parseJsonDocument('endpoint.json', text.replace(/^\uFEFF/, ''));
  const found = schemaCheck(schema, 'endpoint.json')(document.value);
  const ofSchema = found.map(({ pointer, message }) => document.faultAt(pointer, message));
  const [first] = [...document.faults, ...ofSchema];
  // The schema describes it.
  const definition = document.value as EndpointDefinition;
  return first ? { fault: formatFault(first) } : { definition };
}

/** Paths are relative to the directory, wherever it is in its repository. */
function gitIn(cwd: string, env: Env): (...args: string[]) => string {
  // A git hook sets them, relative to another directory.
  const { GIT_DIR: _, GIT_WORK_TREE: __, ...others } = env;
  const options = {
    ...({ cwd, encoding: 'utf8', maxBuffer: Infinity, timeout: GIT_TIMEOUT_MS } as const),
    env: { ...others, GIT_TERMINAL_PROMPT: '0' },
  };
  return (...args) => {
    const { error, status, stdout, stderr } = spawnSync('git', args, options);
    if (errorCode(error) === 'ENOENT') {
      throw new Error('--against needs git, which is not installed.', { cause: error });
    }
    if (status === 0) return stdout;
    throw new Error(`--against: git fails in ${cwd}: ${stderr || errorMessage(error)}`.trim());
  };
}
