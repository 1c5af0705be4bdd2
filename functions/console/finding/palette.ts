// The palette: finds an endpoint by typing, opened by Ctrl-K (Cmd-K on a Mac) or by its button.
import { linkTo } from '../call/link.ts';
import { byId, h } from '../dom.ts';
import type { Endpoint } from '../service.ts';
import type { Store } from '../store.ts';
import { type Found, type Part, findEndpoints } from './find-endpoints.ts';
import { groupEndpoints, splitName } from './group-endpoints.ts';
import { keepInView } from './keep-in-view.ts';

const IS_MAC = /Macintosh|Mac OS X/.test(navigator.userAgent);
/** Where the fingers would open a keyboard that covers the list, only the field itself does. */
const isTouched = (): boolean => matchMedia('(pointer: coarse)').matches;

export function createPalette(store: Store): void {
  const dialog = byId<HTMLDialogElement>('palette');
  const input = byId<HTMLInputElement>('find');
  const list = byId('found');
  const button = byId('finder');
  let options: HTMLElement[] = [];
  let active = 0;

  button.setAttribute('aria-keyshortcuts', IS_MAC ? 'Meta+K' : 'Control+K');
  byId('finder-keys').textContent = IS_MAC ? '⌘K' : 'Ctrl K';
  button.addEventListener('click', open);
  byId('close-palette').addEventListener('click', () => dialog.close());
  document.addEventListener('keydown', (event) => {
    const isPressed = IS_MAC ? event.metaKey : event.ctrlKey;
    if (!isPressed || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k') return;
    if (store.get().session === undefined) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });
  dialog.addEventListener('keydown', press);
  dialog.addEventListener('click', ({ target }) => {
    // The target is the dialog itself only around its content.
    if (target === dialog) dialog.close();
    const option = target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null;
    if (option !== null) choose(option);
  });
  input.addEventListener('input', show);
  store.listen(['session'], ({ session }) => {
    button.hidden = session === undefined;
    if (session === undefined) dialog.close();
  });
  store.listen(['current'], ({ current }) => {
    const [group, rest] = splitName(current?.name ?? '');
    byId('finder-name').replaceChildren(
      ...(current === undefined
        ? ['Choose an endpoint']
        : [h('span', { class: 'name-group' }, group), h('b', {}, rest)]),
    );
  });

  function open(): void {
    if (dialog.open) return;
    input.value = '';
    dialog.toggleAttribute('autofocus', isTouched());
    dialog.showModal();
    show();
  }

  function show(): void {
    const endpoints = store.get().session?.endpoints ?? [];
    const found = findEndpoints(endpoints, input.value);
    const isAll = input.value.trim() === '';
    list.replaceChildren(...(isAll ? grouped(found) : found.map((each) => optionOf(each))));
    options = [...list.querySelectorAll<HTMLElement>('[role=option]')];
    for (const [position, option] of options.entries()) option.id = `found-${position}`;
    byId('not-found').textContent = notFound(endpoints.length, found.length);
    byId('found-count').textContent = isAll
      ? `${endpoints.length} endpoints`
      : `${found.length} of ${endpoints.length}`;
    list.scrollTop = 0;
    const name = store.get().current?.name;
    activate(isAll ? options.findIndex((option) => option.dataset.name === name) : 0);
  }

  function notFound(all: number, found: number): string {
    if (found > 0) return '';
    if (all === 0) return 'You have no access to any endpoint.';
    return `No endpoint has “${input.value.trim()}” in its name, description, columns or parameters.`;
  }

  function grouped(found: readonly Found<Endpoint>[]): HTMLElement[] {
    return groupEndpoints(found, ({ endpoint }) => endpoint.name).map(({ name, members }) =>
      h(
        'div',
        { role: 'group', 'aria-label': name },
        h('div', { class: 'group', 'aria-hidden': 'true' }, name),
        ...members.map((member) => {
          const [group, rest] = splitName(member.endpoint.name);
          return optionOf(member, [h('span', { class: 'visually-hidden' }, group), rest]);
        }),
      ),
    );
  }

  function optionOf(
    { endpoint, name, note }: Found<Endpoint>,
    shownName: readonly (Node | string)[] = name.map(textOf),
  ): HTMLElement {
    const isOpen = endpoint.name === store.get().current?.name;
    return h(
      'div',
      {
        role: 'option',
        'data-name': endpoint.name,
        'aria-selected': 'false',
        'aria-current': isOpen ? 'page' : undefined,
      },
      h('span', { class: 'found-name' }, ...shownName),
      ' ',
      h('span', { class: 'found-note' }, ...note.map(textOf)),
    );
  }

  function activate(position: number): void {
    options[active]?.setAttribute('aria-selected', 'false');
    active = Math.max(position, 0);
    const option = options[active];
    if (option === undefined) {
      input.removeAttribute('aria-activedescendant');
      return;
    }
    option.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', option.id);
    keepInView(list, option);
  }

  function press(event: KeyboardEvent): void {
    // The keys of an input method choose its characters.
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const option = options[active];
    if (step !== undefined && option !== undefined) {
      event.preventDefault();
      activate((active + step + options.length) % options.length);
    } else if (event.key === 'Enter' && event.target !== byId('close-palette')) {
      event.preventDefault();
      if (option !== undefined) choose(option);
    } else if (event.key.length === 1 && event.target === dialog) input.focus();
  }

  function choose({ dataset: { name = '' } }: HTMLElement): void {
    dialog.close();
    if (name !== store.get().current?.name) location.hash = linkTo({ name, parameters: undefined });
    byId('run').focus({ preventScroll: true });
  }
}

function textOf({ text, isMatch }: Part): Node | string {
  return isMatch ? h('mark', {}, text) : text;
}
