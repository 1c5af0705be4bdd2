// Copies the text of an element.

/** Without a secure context there is no clipboard: the text is selected instead, and the result is false. */
export async function copyText(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return false;
  }
}
