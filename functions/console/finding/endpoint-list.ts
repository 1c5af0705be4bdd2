// The list of endpoints in groups. It is one stop of the Tab key: arrows, Home, End and letters move inside it.
import { linkTo } from '../call/link.ts';
import { byId, h } from '../dom.ts';
import type { Endpoint } from '../service.ts';
import type { Store } from '../store.ts';
import { groupEndpoints, splitName } from './group-endpoints.ts';
import { keepInView } from './keep-in-view.ts';

/** Letters within this time are one word. */
const TYPING_MS = 700;

export function createEndpointList(store: Store): void {
  const list = byId('endpoints');
  let links: HTMLAnchorElement[] = [];
  let typed = { text: '', atMs: 0 };
  store.listen(['session'], ({ session }) => {
    show(session?.endpoints ?? []);
    mark();
  });
  store.listen(['current'], mark);
  // A window that becomes wide shows the list.
  new ResizeObserver(showOpen).observe(list);
  list.addEventListener('focusin', ({ target }) => stopAt(links.find((link) => link === target)));
  list.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = nextOf(event.key, event.timeStamp);
    if (next === undefined) return;
    event.preventDefault();
    next.focus({ preventScroll: true });
    keepInView(list, next);
  });

  function show(endpoints: readonly Endpoint[]): void {
    list.replaceChildren(
      ...groupEndpoints(endpoints, ({ name }) => name).flatMap(({ name, members }) => [
        h('h2', { class: 'group' }, name),
        h('ul', { 'aria-label': name }, ...members.map((member) => h('li', {}, linkOf(member)))),
      ]),
    );
    links = [...list.querySelectorAll('a')];
    byId('no-endpoints').hidden = endpoints.length > 0;
  }

  /** In place, so that the link that was followed keeps the focus. */
  function mark(): void {
    const name = store.get().current?.name;
    const open = links.find((link) => link.dataset.name === name);
    for (const link of links) {
      if (link === open) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    stopAt(open ?? links[0]);
    showOpen();
  }

  function showOpen(): void {
    const open = links.find((link) => link.hasAttribute('aria-current'));
    if (open !== undefined) keepInView(list, open);
  }

  function stopAt(stop: HTMLAnchorElement | undefined): void {
    if (stop === undefined) return;
    for (const link of links) link.tabIndex = link === stop ? 0 : -1;
  }

  function nextOf(key: string, atMs: number): HTMLAnchorElement | undefined {
    const focused = links.findIndex((link) => link === document.activeElement);
    if (key === 'ArrowDown') return links[focused + 1];
    if (key === 'ArrowUp') return links[focused - 1];
    if (key === 'Home') return links[0];
    if (key === 'End') return links.at(-1);
    return /^[\w.-]$/.test(key) ? typedLink(key, focused, atMs) : undefined;
  }

  /** The next whose name, with or without its group, starts with what was typed. */
  function typedLink(key: string, focused: number, atMs: number): HTMLAnchorElement | undefined {
    const before = atMs - typed.atMs < TYPING_MS ? typed.text : '';
    typed = { text: before + key.toLowerCase(), atMs };
    // A first letter goes on from the focused one; more letters may still fit it.
    const from = focused + (before === '' ? 1 : 0);
    return [...links.slice(from), ...links.slice(0, from)].find(({ dataset: { name = '' } }) =>
      [name, splitName(name)[1]].some((text) => text.startsWith(typed.text)),
    );
  }
}

function linkOf({ name, description }: Endpoint): HTMLAnchorElement {
  const [group, rest] = splitName(name);
  // A long name is cut.
  const title = `${name}\n${description}`;
  return h(
    'a',
    { href: linkTo({ name, parameters: undefined }), 'data-name': name, title },
    // The heading shows it.
    h('span', { class: 'visually-hidden' }, group),
    rest,
  );
}
