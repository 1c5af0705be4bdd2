// The list of endpoints, which typing narrows. Where there is no room, it is over the page.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { START_VIEW, linkTo } from './call/link.ts';
import type { Endpoint } from './service.ts';
import { get } from './state.ts';

export function EndpointList() {
  const { session, endpoint: current } = get();
  const nav = useRef<HTMLElement>(null);
  const [query, find] = useState('');
  const wanted = plain(query.trim());
  const words = wanted.split(/\s+/);
  const has = ({ name }: Endpoint): number => Number(plain(name).includes(wanted));
  const isFound = (one: Endpoint): boolean => wanted === '' || hasWords(one, words);
  // First those whose name has it.
  const found = (session?.endpoints ?? []).filter(isFound).sort((a, b) => has(b) - has(a));
  const groups = Map.groupBy(found, ({ name }) => name.replace(/\..*/, ''));
  const showCurrent = (): void =>
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  useLayoutEffect(() => {
    find('');
    showCurrent();
  }, [current]);
  return (
    <nav id="list" popover="auto" aria-label="Endpoints" ref={nav} onToggle={showCurrent}>
      <div class="list" id="endpoints">
        <input
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
        {[...groups].map(([group, members]) => [
          <h2 class="group muted small">{group}</h2>,
          <ul aria-label={group}>
            {members.map(({ name, description }) => (
              <li key={name}>
                <a
                  class="cut"
                  href={linkTo({ name, parameters: undefined, view: START_VIEW })}
                  aria-label={name}
                  // A long name is cut.
                  title={`${name}\n${description}`}
                  onClick={() => nav.current?.hidePopover()}
                  aria-current={name === current?.name ? 'page' : undefined}
                >
                  {name.slice(group.length + 1)}
                </a>
              </li>
            ))}
          </ul>,
        ])}
        <p class="muted small" role="status" id="not-found">
          {found.length === 0 &&
            wanted !== '' &&
            `No endpoint has “${query.trim()}” in its name, description, columns or parameters.`}
        </p>
      </div>
    </nav>
  );
}

/** Whether it has each of them in its name, description, columns or parameters. */
function hasWords({ name, description, row, parameters }: Endpoint, words: string[]): boolean {
  const names = [...row, ...parameters].map((one) => one.name);
  const text = plain([name, description, ...names].join('\n'));
  return words.every((word) => text.includes(word));
}

/** Names have hyphens, columns underscores: a user who types one of them means either. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll('_', '-');
}
