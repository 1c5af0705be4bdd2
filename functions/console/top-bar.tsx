// The bar at the top: the open endpoint where there is no room for the list, the key, and the theme.
import { leaveKey } from './actions.ts';
import { splitName } from './finding/find-endpoints.ts';
import { isToken } from './service.ts';
import { type State, set } from './state.ts';

export function TopBar({
  session,
  endpoint,
  isListOpen,
}: Pick<State, 'session' | 'endpoint' | 'isListOpen'>) {
  const [group, rest] = splitName(endpoint?.name ?? '');
  return (
    <header class="top">
      <p class="brand">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" />
          <path d="M7 21l6-7 5 4 7-9" />
        </svg>
        <span class="brand-name">Saved queries</span>
      </p>
      {session !== undefined && (
        <button
          class="finder row"
          id="finder"
          type="button"
          aria-expanded={isListOpen}
          aria-controls="list"
          onClick={() => set({ isListOpen: !isListOpen })}
        >
          <span class="visually-hidden">Endpoint: </span>
          <span class="cut" id="finder-name">
            {endpoint === undefined ? (
              'Choose an endpoint'
            ) : (
              <>
                <span class="muted">{group}</span>
                <b>{rest}</b>
              </>
            )}
          </span>
        </button>
      )}
      {session !== undefined && (
        <p class="key-state row small" id="key-state">
          <span class="muted">{isToken(session.key) ? 'Token of' : 'Key'}</span>{' '}
          <b class="cut" id="key-name">
            {session.keyName}
          </b>{' '}
          <button class="quiet" id="change-key" type="button" onClick={leaveKey}>
            <span>Change </span>key
          </button>
        </p>
      )}
    </header>
  );
}
