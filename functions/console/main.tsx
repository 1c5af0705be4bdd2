// The main program of the console: shows the state after each change, and listens to what the whole page does.
import { options, render } from 'preact';
import { cancel, followLink, keepFresh, openKey } from './actions.ts';
import { App } from './app.tsx';
import { DARK } from './chart/theme.ts';
import { get, set } from './state.ts';

// At once, so that what is shown can get the focus; changes made by components while they are shown wait for their turn.
options.debounceRendering = (rerender) => rerender();
render(<App />, document.getElementById('app') ?? document.body);
window.addEventListener('hashchange', () => followLink());
document.addEventListener('visibilitychange', keepFresh);
setInterval(keepFresh, 1000);
DARK.addEventListener('change', () => set({}));
document.addEventListener('keydown', (event) => {
  const { key, target, defaultPrevented, ctrlKey, metaKey, shiftKey, altKey } = event;
  // Where Escape has no other meaning.
  const isIdle = target instanceof Element && target.matches('body, #run, #cancel, #main');
  if (key === 'Escape' && isIdle && !defaultPrevented && get().running?.goesOn) cancel();
  const list = document.getElementById('list');
  const isCommand = (ctrlKey || metaKey) && !shiftKey && !altKey;
  if (!isCommand || key.toLowerCase() !== 'k' || list === null) return;
  event.preventDefault();
  if (!list.checkVisibility()) list.showPopover();
  const input = list.querySelector('input');
  input?.focus();
  input?.select();
});
void openKey();
