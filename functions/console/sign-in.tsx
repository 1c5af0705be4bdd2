// The form that asks for the API key, or for a token in its place.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { openKey } from './actions.ts';
import type { State } from './state.ts';

export function SignIn({ message, typed, isBusy }: NonNullable<State['signIn']>) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isBusy) return;
    input.current?.focus();
    input.current?.select();
  }, [message, isBusy]);
  return (
    <main class="sign-in" id="sign-in">
      <form
        class="card"
        id="key-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void openKey(input.current?.value.trim());
        }}
      >
        <h1>Open the console</h1>
        <p class="muted">
          Enter an API key or a token to see its endpoints. It is sent only to this service, and is
          deleted from the browser when you close this tab.
        </p>
        <div class="field">
          <label for="key">API key or token</label>
          <input
            ref={input}
            id="key"
            type="password"
            autocomplete="off"
            autocapitalize="off"
            aria-describedby="key-error"
            aria-invalid={message === '' ? undefined : 'true'}
            defaultValue={typed}
          />
          <p class="field-error small" id="key-error" role="alert" hidden={message === ''}>
            {message}
          </p>
        </div>
        <button class="primary" id="open" type="submit" disabled={isBusy}>
          Open
        </button>
      </form>
    </main>
  );
}
