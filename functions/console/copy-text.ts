// Copies text to the clipboard.

/** Without a secure context there is no clipboard: the element is selected instead, and the result is false. */
export async function copyText(
  element: HTMLElement,
  text = element.textContent ?? '',
): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return false;
  }
}
