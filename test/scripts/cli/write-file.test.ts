// Tests of files that commands write.
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { writeFile } from '../../../scripts/cli/write-file.ts';
import { testDirectory } from '../../support/temporary-directory.ts';
import { describeOnLinux } from '../../support/process.ts';

let directory: string;

beforeEach(() => void (directory = testDirectory('write-file-')));

it('writes a new file, and replaces an existing one, keeping its mode', () => {
  const file = join(directory, 'a.json');
  writeFile(file, 'one');
  expect(readFileSync(file, 'utf8')).toBe('one');
  writeFileSync(join(directory, 'b.json'), 'before', { mode: 0o600 });
  writeFile(join(directory, 'b.json'), 'two');
  expect(readFileSync(join(directory, 'b.json'), 'utf8')).toBe('two');
  expect(statSync(join(directory, 'b.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(['a.json', 'b.json']);
});

it('writes the target of a symbolic link', () => {
  writeFileSync(join(directory, 'file'), 'before');
  symlinkSync('file', join(directory, 'link'));
  writeFile(join(directory, 'link'), 'now');
  expect(readlinkSync(join(directory, 'link'))).toBe('file');
  expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('now');
});

it.each([
  ['missing/file', 'no such file or directory'],
  ['folder', 'illegal operation on a directory'],
  ['file/below', 'not a directory'],
])('says in one sentence why %s cannot be written, and leaves nothing behind', (path, reason) => {
  mkdirSync(join(directory, 'folder'));
  writeFileSync(join(directory, 'file'), 'as it was');
  const file = join(directory, path);
  expect(() => writeFile(file, 'now')).toThrow(`${file} cannot be written: ${reason}.`);
  expect(readdirSync(directory)).toEqual(['file', 'folder']);
  expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('as it was');
});

describeOnLinux('on Linux', () => {
  it('reports that the disk is full', () => {
    expect(() => writeFile('/dev/full', 'now')).toThrow(
      '/dev/full cannot be written: no space left on device.',
    );
  });
});
