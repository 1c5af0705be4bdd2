// Saves what is on the page as a file.

export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Not at once: the browser may read it later.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
