// Light or dark: as the system is set, unless the user has chosen.
import { useLayoutEffect, useState } from 'preact/hooks';

type Theme = 'system' | 'light' | 'dark';

const ITEM = 'saved-queries-theme';
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const listeners = new Set<() => void>();

export function ThemeButton() {
  const [theme, choose] = useState<Theme>(storedTheme);
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
    for (const listener of listeners) listener();
  }, [theme]);
  return (
    <button
      class="quiet"
      id="theme"
      type="button"
      aria-label={`Theme: ${theme}`}
      onClick={() => {
        localStorage.setItem(ITEM, NEXT[theme]);
        choose(NEXT[theme]);
      }}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm0 1.5v11a5.5 5.5 0 0 1 0-11Z" />
      </svg>
      <span>Theme: {theme}</span>
    </button>
  );
}

/** Calls the listener whenever the colours change; returns a function that ends this. */
export function onColours(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  listeners.add(listener);
  system.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener('change', listener);
  };
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(ITEM);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
