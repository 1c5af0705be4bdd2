// A button that copies a text.
import type { ButtonHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { set } from './state.ts';

const TOLD_MS = 2000;

interface CopyButtonProps extends ButtonHTMLAttributes {
  text: () => string;
  label?: string;
}

export function CopyButton({ text, label = 'Copy', ...attributes }: CopyButtonProps) {
  const [told, tell] = useState<string>();
  const copy = async (): Promise<void> => {
    try {
      // A page has no clipboard unless it comes from this machine or by HTTPS.
      await navigator.clipboard.writeText(text());
      tell('Copied');
      set({ status: 'Copied.' });
    } catch {
      tell('Not copied');
      set({ status: 'The browser does not let the page copy.' });
    }
    setTimeout(() => tell(undefined), TOLD_MS);
  };
  return (
    <button class="secondary" type="button" {...attributes} onClick={() => void copy()}>
      {told ?? label}
    </button>
  );
}
