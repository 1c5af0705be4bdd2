// The list of endpoints, which typing narrows; Ctrl-K (Cmd-K on a Mac) leads to it. Where there is no room, it is over the page.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../call/link.ts';
import type { Endpoint } from '../service.ts';
import { findEndpoints, groupEndpoints, splitName } from './find-endpoints.ts';

interface ListProps {
  endpoints: readonly Endpoint[];
  current: Endpoint | undefined;
}

export function EndpointList({ endpoints, current }: ListProps) {
  const nav = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [query, find] = useState('');
  const found = findEndpoints(endpoints, query);
  const showCurrent = (): void =>
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isPressed = event.ctrlKey || event.metaKey;
      if (!isPressed || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      if (nav.current?.checkVisibility() === false) nav.current.showPopover();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  useLayoutEffect(() => {
    find('');
    showCurrent();
  }, [current]);
  const linkOf = ({ name, description }: Endpoint) => {
    const [group, rest] = splitName(name);
    return (
      <li key={name}>
        <a
          class="cut"
          href={linkTo({ name, parameters: undefined })}
          data-name={name}
          // A long name is cut.
          title={`${name}\n${description}`}
          aria-current={name === current?.name ? 'page' : undefined}
        >
          <span class="name-group">{group}</span>
          {rest}
        </a>
      </li>
    );
  };
  return (
    <nav id="list" popover="auto" aria-label="Endpoints" ref={nav} onToggle={showCurrent}>
      <div
        class="list"
        id="endpoints"
        onClick={({ target }) => {
          if ((target as Element).closest('a') === null) return;
          nav.current?.hidePopover();
          document.getElementById('run')?.focus({ preventScroll: true });
        }}
      >
        <input
          ref={input}
          id="find"
          type="search"
          aria-label="Find an endpoint by name, description or column"
          aria-keyshortcuts="Control+K Meta+K"
          placeholder="Find an endpoint (Ctrl K)"
          autocomplete="off"
          value={query}
          onInput={({ currentTarget }) => find(currentTarget.value)}
          onKeyDown={(event) => {
            // The keys of an input method choose its characters.
            if (event.key !== 'Enter' || event.isComposing) return;
            event.preventDefault();
            nav.current?.querySelector('a')?.click();
          }}
        />
        {query.trim() === '' ? (
          groupEndpoints(found).map(([name, members]) => [
            <h2 class="group muted small">{name}</h2>,
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
