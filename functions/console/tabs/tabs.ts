// The tabs of an endpoint: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
import { byId } from '../dom.ts';
import type { Store, View } from '../store.ts';

const TABS = ['result', 'columns', 'code', 'json'] as const satisfies readonly View['tab'][];

export function createTabs(store: Store): void {
  for (const tab of TABS) {
    byId(`tab-${tab}`).addEventListener('click', () => choose(tab));
    byId(`tab-${tab}`).addEventListener('keydown', (event) => {
      const next = nextOf(tab, event.key);
      if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      choose(next);
      byId(`tab-${next}`).focus();
    });
  }
  store.listen(['view'], show);
  show();

  function choose(tab: View['tab']): void {
    store.set({ view: { ...store.get().view, tab } });
  }

  function show(): void {
    const { tab: chosen } = store.get().view;
    for (const tab of TABS) {
      const isChosen = tab === chosen;
      byId(`tab-${tab}`).setAttribute('aria-selected', String(isChosen));
      byId(`tab-${tab}`).tabIndex = isChosen ? 0 : -1;
      byId(`panel-${tab}`).hidden = !isChosen;
    }
    byId('result-actions').hidden = chosen !== 'result';
  }
}

/** The tab that a key leads to; the last is followed by the first. */
function nextOf(tab: View['tab'], key: string): View['tab'] | undefined {
  const index = TABS.indexOf(tab);
  if (key === 'ArrowRight') return TABS.at((index + 1) % TABS.length);
  if (key === 'ArrowLeft') return TABS.at(index - 1);
  if (key === 'Home') return TABS[0];
  return key === 'End' ? TABS.at(-1) : undefined;
}
