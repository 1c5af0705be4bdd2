// Compares the READMEs and the pages of docs/ with the code: links, files and commands (docs/generated.test.ts: generated parts).
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PAGES = globSync([
  ...['*.md', '*/README.md', 'scripts/*/README.md', 'sql/endpoints/*/README.md'],
  'docs/**/*.md',
]).sort();
const { scripts, version } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  scripts: Record<string, string>;
};

it.each(PAGES)('%s links to files and headings that exist', (page) => {
  /** The anchor that GitHub gives to a heading. */
  const anchor = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
  const broken = links.filter(([, path, heading]) => {
    const target = path === '' ? page : join(dirname(page), path ?? '');
    if (!existsSync(target)) return true;
    if (heading === undefined) return false;
    const headings = readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm);
    return ![...headings].some(([, title]) => anchor(title ?? '') === heading);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

it.each(PAGES)('%s names source files that exist', (page) => {
  const named = readFileSync(page, 'utf8').matchAll(/`([\w./-]+\.(?:ts|js|tf))`/g);
  const missing = [...named]
    .map(([, path]) => path ?? '')
    .filter(
      (path) => ![path, join(dirname(page), path), join('node_modules', path)].some(existsSync),
    );
  expect(missing).toEqual([]);
});

it('comments, messages and examples name source files that exist', () => {
  const files = globSync([
    '*.{md,ts,js}',
    '{docs,functions,infra,scripts,sql,test}/**/*.{md,ts,js,tf,hcl}',
  ]);
  const missing = files.flatMap((file) => {
    const named = readFileSync(file, 'utf8').matchAll(
      /(?<![\w./-])(?:docs|functions|infra|scripts|test)\/[\w./-]+\.(?:md|tf|ts)\b/g,
    );
    return [...named]
      .map(([path]) => path)
      .filter((path) => !existsSync(path) && !existsSync(join(dirname(file), path)))
      .map((path) => `${file}: ${path}`);
  });
  expect(missing).toEqual([]);
});

it.each(PAGES)('%s names npm scripts that exist', (page) => {
  const named = readFileSync(page, 'utf8').matchAll(
    /\bnpm (?:run (?:-\S+ )*([\w:-]+)|(start|test)\b)/g,
  );
  const missing = [...named]
    .map(([, script, short]) => script ?? short ?? '')
    .filter((script) => scripts[script] === undefined);
  expect(missing).toEqual([]);
});

it('the package, its lockfile, the changelog and the MCP server have the same version', () => {
  const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  const [, released] = /^## \[(\d.*)\]/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
  const server = readFileSync('functions/mcp/answer-message.ts', 'utf8');
  const [, ofServer] = /const SERVER = .*version: '(.*)'/.exec(server) ?? [];
  const found = [lockfile.version, lockfile.packages['']?.version, released, ofServer];
  expect(found).toEqual([version, version, version, version]);
});
