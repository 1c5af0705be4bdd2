// The bar at the top: the open endpoint where there is no room for the list, and the key.
import { leaveKey } from './actions.ts';
import { isToken } from './service.ts';
import type { State } from './state.ts';

export function TopBar({ session, endpoint }: Pick<State, 'session' | 'endpoint'>) {
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
        <>
          <button class="finder row" id="finder" type="button" popovertarget="list">
            <span class="visually-hidden">Endpoint: </span>
            <b class="cut" id="finder-name">
              {endpoint?.name ?? 'Choose an endpoint'}
            </b>
          </button>
          <p class="key-state row small" id="key-state">
            <span class="muted">{isToken(session.key) ? 'Token of' : 'Key'}</span>{' '}
            <b class="cut" id="key-name">
              {session.keyName}
            </b>{' '}
            <button class="quiet" id="change-key" type="button" onClick={leaveKey}>
              <span>Change </span>key
            </button>
          </p>
        </>
      )}
    </header>
  );
}
