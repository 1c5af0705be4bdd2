// The page: the bar at the top, and below it the form for a key, or the endpoints of one.
import { shorten } from './call/link.ts';
import { EndpointHead } from './endpoint-head.tsx';
import { EndpointList } from './finding/endpoint-list.tsx';
import { Form } from './form/form.tsx';
import { SignIn } from './sign-in.tsx';
import { type State, get } from './state.ts';
import { Tabs } from './tabs/tabs.tsx';
import { TopBar } from './top-bar.tsx';

/** Its parts read the state when they are shown: all of them are shown again after each change. */
export function App() {
  const { session, signIn, link, endpoint, running, status } = get();
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
      <TopBar session={session} endpoint={endpoint} />
      {session === undefined ? (
        signIn !== undefined && <SignIn {...signIn} />
      ) : (
        <div class="workspace" id="workspace">
          <EndpointList endpoints={session.endpoints} current={endpoint} />
          <main id="main" tabIndex={-1}>
            {endpoint === undefined ? (
              <Nothing link={link} />
            ) : (
              <div id="endpoint">
                <EndpointHead endpoint={endpoint} />
                <Form endpoint={endpoint} isRunning={running !== undefined} />
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
function Nothing({ link }: Pick<State, 'link'>) {
  const choose = 'Choose one from the list.';
  const [title, text] =
    link === undefined
      ? ['No endpoints', 'The key or token is valid, but opens no endpoint. Ask for access to one.']
      : link === 'too long'
        ? ['This link is too long', `It was ignored. ${choose}`]
        : [
            'No such endpoint',
            `There is no endpoint ${shorten(link.name)} to which you have access. ${choose}`,
          ];
  return (
    <div id="nothing" class="card empty">
      <h1>{title}</h1>
      <p class="muted">{text}</p>
    </div>
  );
}
