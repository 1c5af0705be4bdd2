// Saves what is on the page as a file.
import { h } from './dom.ts';

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  h('a', { href: url, download: name }).click();
  // Not at once: the browser may read it later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
