// The list of endpoints, which typing narrows. Ctrl-K (Cmd-K on a Mac) leads to it; it is one stop of the Tab key.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../call/link.ts';
import type { Endpoint } from '../service.ts';
import { set } from '../state.ts';
import { type Found, findEndpoints, groupEndpoints, splitName } from './find-endpoints.ts';

interface ListProps {
  endpoints: readonly Endpoint[];
  current: Endpoint | undefined;
  /** Where there is no room for it, it is over the page. */
  isOpen: boolean;
}

export function EndpointList({ endpoints, current, isOpen }: ListProps) {
  const nav = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [query, find] = useState('');
  const found = findEndpoints(endpoints, query);
  const close = (): void => {
    find('');
    set({ isListOpen: false });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isPressed = event.ctrlKey || event.metaKey;
      if (!isPressed || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      set({ isListOpen: true });
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  useLayoutEffect(() => {
    find('');
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current, isOpen]);
  const links = (): HTMLAnchorElement[] => [...(nav.current?.querySelectorAll('a') ?? [])];
  const onKey = (event: KeyboardEvent): void => {
    // The keys of an input method choose its characters.
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = links();
    const at = all.indexOf(document.activeElement as HTMLAnchorElement);
    const isTyping = at === -1;
    const next = {
      ArrowDown: all[at + 1],
      ArrowUp: at === 0 ? input.current : all[at - 1],
      Home: isTyping ? undefined : all[0],
      End: isTyping ? undefined : all.at(-1),
    }[event.key];
    if (event.key === 'Escape') {
      close();
      document.getElementById('run')?.focus();
    } else if (event.key === 'Enter' && isTyping) {
      all[0]?.click();
      document.getElementById('run')?.focus({ preventScroll: true });
    } else if (next == null) return;
    else next.focus();
    event.preventDefault();
  };
  const stop = found.find(({ endpoint }) => endpoint === current) ?? found[0];
  const linkOf = (each: Found<Endpoint>) => (
    <Link key={each.endpoint.name} {...each} current={current} isStop={each === stop} />
  );
  return (
    <nav
      id="list"
      class={isOpen ? 'open' : undefined}
      aria-label="Endpoints"
      ref={nav}
      onKeyDown={onKey}
    >
      <div
        class="list"
        id="endpoints"
        onClick={({ target }) => (target as Element).closest('a') && close()}
      >
        <input
          ref={input}
          id="find"
          type="search"
          aria-label="Find an endpoint by name, description or column"
          aria-keyshortcuts="Control+K Meta+K"
          placeholder="Find an endpoint (Ctrl K)"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={query}
          onInput={({ currentTarget }) => find(currentTarget.value)}
        />
        {query.trim() === '' ? (
          groupEndpoints(found).map(({ name, members }) => [
            <h2 class="group">{name}</h2>,
            <ul aria-label={name}>{members.map(linkOf)}</ul>,
          ])
        ) : (
          <ul aria-label="Found">{found.map(linkOf)}</ul>
        )}
        <p class="muted small" role="status" id="not-found">
          {found.length > 0
            ? ''
            : endpoints.length === 0
              ? 'You have no access to any endpoint.'
              : `No endpoint has “${query.trim()}” in its name, description, columns or parameters.`}
        </p>
      </div>
    </nav>
  );
}

function Link({
  endpoint: { name, description },
  note,
  current,
  isStop,
}: Found<Endpoint> & Pick<ListProps, 'current'> & { isStop: boolean }) {
  const [group, rest] = splitName(name);
  return (
    <li>
      <a
        class="cut"
        href={linkTo({ name, parameters: undefined })}
        data-name={name}
        // A long name is cut.
        title={`${name}\n${description}`}
        tabIndex={isStop ? 0 : -1}
        aria-current={current?.name === name ? 'page' : undefined}
      >
        <span class="name-group">{group}</span>
        {rest}
        {note !== '' && <span class="found-note cut">{note}</span>}
      </a>
    </li>
  );
}
