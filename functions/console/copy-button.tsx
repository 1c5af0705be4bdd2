// A button that copies a text.
import type { ButtonHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { set } from './state.ts';

interface CopyButtonProps extends ButtonHTMLAttributes {
  text: () => string;
  label?: string;
}

export function CopyButton({ text, label = 'Copy', ...attributes }: CopyButtonProps) {
  const [told, tell] = useState<string>();
  const copy = async (): Promise<void> => {
    tell((await copyText(text())) ? 'Copied' : 'Not copied');
    setTimeout(() => tell(undefined), 2000);
  };
  return (
    <button class="secondary" type="button" {...attributes} onClick={() => void copy()}>
      {told ?? label}
    </button>
  );
}

/** Tells a screen reader how it went. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // A page has no clipboard unless it comes from this machine or by HTTPS.
    await navigator.clipboard.writeText(text);
    set({ status: 'Copied.' });
    return true;
  } catch {
    set({ status: 'The browser does not let the page copy.' });
    return false;
  }
}
