// A button that copies a text.
import { useState } from 'preact/hooks';
import { set } from './state.ts';

const TOLD_MS = 2000;

interface CopyButtonProps {
  text: () => string;
  label?: string;
  id?: string;
  class?: string;
  /** What else is to be known about the text. */
  title?: string;
}

export function CopyButton({ text, label = 'Copy', ...attributes }: CopyButtonProps) {
  const [told, tell] = useState<string>();
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(text());
    tell(isCopied ? 'Copied' : 'Not copied');
    set({ status: isCopied ? 'Copied.' : 'The browser does not let the page copy.' });
    setTimeout(() => tell(undefined), TOLD_MS);
  };
  return (
    <button class="secondary" type="button" {...attributes} onClick={() => void copy()}>
      {told ?? label}
    </button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without a secure context there is no clipboard.
    const area = document.createElement('textarea');
    area.value = text;
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    return isCopied;
  }
}
