// Light or dark mode: the system's setting, unless the user has chosen.

type Theme = 'system' | 'light' | 'dark';

const ITEM = 'saved-queries-theme';
const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };

/** Calls `onChange` whenever the colours change. */
export function initTheme(button: HTMLElement, name: HTMLElement, onChange: () => void): void {
  let theme = storedTheme();
  apply();
  button.addEventListener('click', () => {
    theme = NEXT[theme];
    localStorage.setItem(ITEM, theme);
    apply();
    onChange();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onChange);

  function apply(): void {
    document.documentElement.dataset.theme = theme;
    button.setAttribute('aria-label', `Theme: ${theme}`);
    name.textContent = theme;
  }
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(ITEM);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
