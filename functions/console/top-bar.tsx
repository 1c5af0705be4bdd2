// The bar at the top: the open endpoint where there is no room for the list, and the key.
import { leaveKey } from './actions.ts';
import { isToken } from './service.ts';
import { get } from './state.ts';

/** That of the tab of the browser. */
const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');

export function TopBar() {
  const { session, endpoint } = get();
  return (
    <header class="top">
      <p class="brand">
        <img src={icon?.href} alt="" width="24" height="24" />
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
