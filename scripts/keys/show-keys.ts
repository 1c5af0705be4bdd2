// Shows new API keys, once: on standard output or in a file.
import { rmSync, statSync } from 'node:fs';
import type { Terminal } from '../cli/command.ts';
import { counted } from '../cli/table.ts';
import { writeFile } from '../cli/write-file.ts';
import { formatNewKeys } from './format-keys.ts';
import type { NamedKey } from './new-key.ts';

/** Files with keys, or with their hashes, are for nobody else. */
export const OWNER_ONLY = 0o600;

export function createKeyOutput({ print, note }: Pick<Terminal, 'print' | 'note'>) {
  /** Prints only the key on standard output, so that it can be piped. */
  const printKey = ({ name, secret, id, publicKey }: NamedKey): void => {
    print(secret);
    const signs = publicKey !== undefined;
    const what = signs
      ? `the private key of ${name}, as PEM and, in the last line, as JWK; its kid is ${id}`
      : `the key ${name}`;
    note(`This is ${what}. It is shown now and never again.`);
    if (signs) note('Keep it in the backend that signs tokens, never in a page.');
  };
  /** Shows new keys in a file that has nothing yet, else on standard output. Without new keys, the file is removed. */
  const showKeys = async (
    file: string | undefined,
    isCsv: boolean,
    make: () => Promise<NamedKey[]>,
  ): Promise<void> => {
    const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && found.size > 0) {
      throw new Error(`${file} exists already, and may have keys: specify another file.`);
    }
    // Before any key is made, this shows that the file can be written.
    if (file !== undefined) writeFile(file, '', OWNER_ONLY);
    const remove = (): void => {
      if (file !== undefined && statSync(file).isFile()) rmSync(file);
    };
    const keys = await make().catch((error: unknown) => {
      remove();
      throw error;
    });
    const text = formatNewKeys(keys, isCsv);
    try {
      if (file === undefined) print(text);
      else writeFile(file, `${text}\n`);
    } catch (error) {
      // A full disk: nothing else has the keys.
      print(text);
      throw error;
    }
    const where = file === undefined ? 'These are' : `${file} has`;
    note(`${where} ${counted(keys.length, 'key')}. They are shown now and never again.`);
  };
  return { printKey, showKeys };
}
