// Reads the definitions of endpoints as a git ref has them: from git's objects, without a checkout.
import { isUtf8 } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { errorCode } from '../../../functions/core/describe-error.ts';
import type { EndpointDefinition } from '../../../functions/endpoints/endpoint.ts';
import schema from '../../../sql/endpoint.schema.json' with { type: 'json' };
import { formatFault } from '../../faults/definition-fault.ts';
import { parseJsonDocument } from '../../faults/json-document.ts';
import { NOT_UTF8 } from '../../faults/read-text-file.ts';
import { schemaCheck } from '../../faults/schema-error.ts';

/** An endpoint of the ref. */
interface EarlierEndpoint {
  folder: string;
  /** Where its endpoint.json was, and mostly is. */
  file: string;
  /** By today's schema; else what is wrong with it, with line and column in the ref's file. */
  read: { definition: EndpointDefinition } | { fault: string };
}

interface Entry {
  /** As git writes it, such as 100644 of a file. */
  mode: string;
  object: string;
  path: string;
}

type Git = (...args: string[]) => { isDone: boolean; stdout: Buffer; fault: string };

const MODES = { folder: '040000', submodule: '160000', link: '120000' };
/** A partial clone fetches what it lacks. */
const GIT_TIMEOUT_MS = 60_000;

/** For git, such an argument is an option. */
export function requireRef(ref: string): string {
  if (!ref.startsWith('-')) return ref;
  throw new Error(`--against ${ref}: a ref does not begin with -.`);
}

/** Throws an Error that says what to do where there is nothing to compare with. Follows no link and no submodule. */
export function readDefinitionsAt(
  ref: string,
  sqlDirectory: string,
  env: Readonly<Record<string, string | undefined>>,
): EarlierEndpoint[] {
  const git = gitIn(sqlDirectory, env);
  const commit = commitOf(git, ref, sqlDirectory);
  const directory = join(sqlDirectory, 'endpoints');
  const [top] = list(git, commit, 'endpoints');
  if (top?.mode !== MODES.folder) {
    const fault = top === undefined ? 'is not in this commit' : 'is a link in this commit';
    throw new Error(`--against ${ref}: ${directory} ${fault}, so nothing can be compared.`);
  }
  const definitions = new Map<string, Entry | undefined>();
  for (const entry of list(git, commit, '-r', 'endpoints')) {
    const [, folder = '', ...path] = entry.path.split('/');
    if (path.length === 0 && entry.mode !== MODES.submodule) continue;
    const isMeant = path.length === 0 || path.join('/') === 'endpoint.json';
    if (isMeant || !definitions.has(folder)) definitions.set(folder, isMeant ? entry : undefined);
  }
  return [...definitions].map(([folder, entry]) => {
    const file = join(directory, folder, 'endpoint.json');
    return { folder, file, read: readDefinition(git, file, entry) };
  });
}

function readDefinition(git: Git, file: string, entry: Entry | undefined): EarlierEndpoint['read'] {
  if (entry === undefined) return { fault: 'there was no such file' };
  if (entry.mode === MODES.link) return { fault: 'it was a link, which is not followed' };
  if (entry.mode === MODES.submodule) return { fault: 'it was in a submodule, which is not read' };
  const { isDone, stdout, fault } = git('cat-file', 'blob', entry.object);
  if (!isDone) return { fault };
  if (!isUtf8(stdout)) return { fault: `it ${NOT_UTF8}` };
  const document = parseJsonDocument(file, stdout.toString().replace(/^\uFEFF/, ''));
  const [first] = [
    ...document.faults,
    ...schemaCheck(schema, 'endpoint.json')(document.value).map(({ pointer, message }) =>
      document.faultAt(pointer, message),
    ),
  ];
  if (first === undefined) return { definition: document.value as EndpointDefinition };
  return { fault: formatFault({ ...first, file: 'endpoint.json' }) };
}

function commitOf(git: Git, ref: string, sqlDirectory: string): string {
  const shallow = git('rev-parse', '--is-shallow-repository');
  if (!shallow.isDone) {
    throw new Error(`--against: git cannot read ${sqlDirectory}: ${shallow.fault}`);
  }
  const { isDone, stdout } = git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  if (isDone) return stdout.toString().trim();
  const isShallow = shallow.stdout.toString().trim() === 'true';
  throw new Error(
    `--against ${ref}: this clone has no such commit${isShallow ? ', and is shallow' : ''}. Fetch it: git fetch ${isShallow ? '--unshallow ' : ''}origin '+refs/heads/*:refs/remotes/origin/*'`,
  );
}

function list(git: Git, commit: string, ...args: string[]): Entry[] {
  const { isDone, stdout, fault } = git('ls-tree', '-z', commit, ...args);
  if (!isDone) throw new Error(`--against: git cannot list ${commit}: ${fault}`);
  const lines = stdout.toString().split('\0').slice(0, -1);
  return lines.map((line) => {
    const [, mode = '', object = '', path = ''] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? [];
    return { mode, object, path };
  });
}

/** In the directory, so that paths are relative to it wherever it is in its repository. */
function gitIn(directory: string, env: Readonly<Record<string, string | undefined>>): Git {
  // A hook of git has them, relative to another directory.
  const { GIT_DIR: _, GIT_WORK_TREE: __, ...others } = env;
  return (...args) => {
    const { error, status, stdout, stderr } = spawnSync('git', args, {
      cwd: directory,
      env: { ...others, GIT_TERMINAL_PROMPT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: Infinity,
      timeout: GIT_TIMEOUT_MS,
    });
    if (errorCode(error) === 'ENOENT') {
      throw new Error('--against needs git, which is not installed.', { cause: error });
    }
    if (error) throw error;
    return { isDone: status === 0, stdout, fault: stderr.toString().trim() };
  };
}
