// The list of endpoints, and the head of the one that is open.
import { byId, h } from './dom.ts';
import { formatSpan } from './format-span.ts';
import { shorten } from './call/inspect-link.ts';
import { type Link, linkTo } from './call/link.ts';
import type { Endpoint } from './service.ts';
import type { Store } from './store.ts';

export function createEndpointList(store: Store): void {
  const toggle = byId('list-toggle');
  byId('search').addEventListener('input', list);
  toggle.addEventListener('click', () => expand(toggle.getAttribute('aria-expanded') !== 'true'));
  store.listen(['session'], list);
  store.listen(['current'], ({ current }) => {
    mark();
    expand(false);
    byId('list-name').textContent = current?.name ?? 'Endpoints';
  });

  /** On a narrow screen the list is closed until it is asked for. */
  function expand(isOpen: boolean): void {
    toggle.setAttribute('aria-expanded', String(isOpen));
    byId('list').classList.toggle('open', isOpen);
  }

  function list(): void {
    const endpoints = store.get().session?.endpoints ?? [];
    const words = byId<HTMLInputElement>('search').value.toLowerCase().split(/\s+/);
    const found = endpoints.filter((endpoint) => {
      const text = [
        endpoint.name,
        endpoint.description,
        ...[...endpoint.parameters, ...endpoint.row].map(({ name }) => name),
      ]
        .join(' ')
        .toLowerCase();
      return words.every((word) => text.includes(word));
    });
    byId('endpoints').replaceChildren(
      ...found.map(({ name, description }) =>
        h(
          'li',
          {},
          h(
            'a',
            { href: linkTo({ name, parameters: undefined }), 'data-name': name },
            h('span', { class: 'endpoint-name' }, name),
            h('span', { class: 'muted small clamp' }, description),
          ),
        ),
      ),
    );
    mark();
    byId('no-match').hidden = found.length > 0;
    byId('no-match').textContent =
      endpoints.length === 0 ? 'This key may use no endpoint.' : 'No endpoint matches.';
  }

  /** Updated in place, so that the link that was followed keeps the focus. */
  function mark(): void {
    for (const link of byId('endpoints').querySelectorAll('a')) {
      if (link.dataset.name === store.get().current?.name)
        link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  }
}

/** Shows the name and what it is, or that there is none of that name. */
export function showHead(
  endpoint: Endpoint | undefined,
  link: Pick<Link, 'name'> | 'too long' | undefined,
): void {
  byId('endpoint').hidden = endpoint === undefined;
  byId('nothing').hidden = endpoint !== undefined;
  document.title = endpoint === undefined ? 'Saved queries' : `${endpoint.name} · Saved queries`;
  if (endpoint === undefined) {
    const [title, text] = whyNone(link);
    byId('nothing').replaceChildren(
      h('h1', { class: 'empty-title' }, title),
      h('p', { class: 'muted' }, text),
    );
    return;
  }
  byId('name').textContent = endpoint.name;
  byId('description').textContent = endpoint.description;
  byId('facts').textContent = [
    endpoint.cacheWarmingSeconds === 0
      ? ''
      : `refreshed every ${formatSpan(endpoint.cacheWarmingSeconds)}`,
    `never older than ${formatSpan(endpoint.cachingSeconds)}`,
    `at most ${endpoint.maxRows.toLocaleString('en')} rows`,
  ]
    .filter((fact) => fact !== '')
    .join(' · ');
}

function whyNone(link: Pick<Link, 'name'> | 'too long' | undefined): [title: string, text: string] {
  if (link === undefined) return ['No endpoints', 'This API key may use no endpoint.'];
  const choose = 'Choose one from the list.';
  if (link === 'too long') return ['This link is too long', `Nothing of it was read. ${choose}`];
  const text = `There is no endpoint ${shorten(link.name)} for this API key. ${choose}`;
  return ['No such endpoint', text];
}
