// The page: the bar at the top, and below it the form for a key, or the endpoints of one.
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { leaveKey } from './actions.ts';
import { EndpointHead } from './endpoint-head.tsx';
import { EndpointList } from './endpoint-list.tsx';
import { Form } from './form/form.tsx';
import { isToken } from './service.ts';
import { SignIn } from './sign-in.tsx';
import { get, onChange } from './state.ts';
import { Tabs } from './tabs.tsx';

/** Its parts read the state when they are shown: all of them are shown again after each change. */
export function App() {
  const [{ session, signIn, endpoint, status }, show] = useState(get);
  useLayoutEffect(() => onChange(show), []);
  useLayoutEffect(() => {
    document.title = endpoint === undefined ? 'Saved queries' : `${endpoint.name} · Saved queries`;
  }, [endpoint]);
  // It may be long, and most changes are none of it: it is shown again after these alone.
  const list = useMemo(() => <EndpointList />, [session, endpoint]);
  return (
    <>
      <button
        class="primary skip"
        id="skip"
        type="button"
        onClick={() => document.getElementById(endpoint === undefined ? 'key' : 'main')?.focus()}
      >
        Skip to the endpoint
      </button>
      <TopBar />
      {signIn !== undefined && <SignIn {...signIn} />}
      {session !== undefined && (
        <div class="workspace" id="workspace">
          {list}
          <main id="main" tabIndex={-1}>
            {endpoint === undefined ? (
              <Nothing hasEndpoints={session.endpoints.length > 0} />
            ) : (
              <div id="endpoint">
                <EndpointHead endpoint={endpoint} />
                <Form endpoint={endpoint} />
                <Tabs endpoint={endpoint} />
              </div>
            )}
          </main>
        </div>
      )}
      <p class="visually-hidden" id="status" role="status">
        {status}
      </p>
    </>
  );
}

/** Why no endpoint is open. */
function Nothing({ hasEndpoints }: { hasEndpoints: boolean }) {
  return (
    <div id="nothing" class="card empty">
      <h1>{hasEndpoints ? 'No such endpoint' : 'No endpoints'}</h1>
      <p class="muted">
        {hasEndpoints
          ? 'You have no access to the endpoint of this link. Choose one from the list.'
          : 'The key or token is valid, but opens no endpoint. Ask for access to one.'}
      </p>
    </div>
  );
}

/** That of the tab of the browser. */
const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');

/** With the open endpoint where there is no room for the list, and the key. */
function TopBar() {
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
