// Finds changes of the endpoints since a git ref that may break callers; reads git's objects, without a checkout.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../../functions/core/errors.ts';
import type { EndpointDefinition } from '../../../functions/endpoints/endpoint.ts';
import schema from '../../../sql/endpoint.schema.json' with { type: 'json' };
import type { InspectedEndpoint } from '../../compile/inspect-endpoint.ts';
import { formatFault } from '../../faults/definition-fault.ts';
import type { CatalogueFault, DefinitionFault } from '../../faults/definition-fault.ts';
import { locateFaults, parseJsonDocument } from '../../faults/json-document.ts';
import { schemaCheck } from '../../faults/schema-error.ts';
import { breakingChanges } from './compare-definitions.ts';

interface ContractOptions {
  sql: string;
  ref: string;
  /** Whether an endpoint of this name is to be compared. */
  isMeant: (folder: string) => boolean;
  allowed: readonly string[];
}

/** A fault for each change that may break callers and is not allowed. */
export function checkContract(
  inspected: readonly InspectedEndpoint[],
  earlier: readonly EarlierEndpoint[],
  { sql, ref, isMeant, allowed }: ContractOptions,
): DefinitionFault[] {
  const faults = earlier.flatMap(({ folder, read }) => {
    const id = 'definition' in read ? read.definition.id : undefined;
    const today =
      inspected.find((endpoint) => endpoint.folder === folder) ??
      inspected.find((endpoint) => id !== undefined && endpoint.id === id);
    if (!isMeant(today?.folder ?? folder)) return [];
    const file = today?.definitionFile ?? join(sql, 'endpoints', folder, 'endpoint.json');
    return changesOf(folder, read, today).flatMap(({ pointer = '', message }): CatalogueFault[] => {
      const name = folder + pointer;
      if (allowed.includes(name)) return [];
      const told = `${message}, which may break callers (--allow-breaking ${name})`;
      return [{ file, message: told, ...(pointer !== '' && { pointer }) }];
    });
  });
  return locateFaults(faults);

  function changesOf(
    folder: string,
    read: EarlierEndpoint['read'],
    today: InspectedEndpoint | undefined,
  ): { pointer?: string; message: string }[] {
    if (today === undefined) return [{ message: `the endpoint ${folder} was removed` }];
    // Its faults are reported already.
    if (today.endpoint === undefined) return [];
    if ('definition' in read) return breakingChanges(read.definition, today.endpoint);
    const counts = 'so it counts as a change';
    return [{ message: `cannot be compared with that of ${ref} (${read.fault}), ${counts}` }];
  }
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
