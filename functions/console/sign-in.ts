// The form that asks for the API key, or for a token in its place.
import { byId } from './dom.ts';
import { explainKeyError } from './explain-error.ts';
import { RequestError, fetchCatalogue, isToken } from './service.ts';
import type { Store } from './store.ts';

interface SignIn {
  /** Asks for a key; the field keeps what is in it. */
  ask: (message?: string) => void;
  /** Resolves to whether the key has opened the list of endpoints. */
  open: (key: string) => Promise<boolean>;
}

/** `forget` is called for a key that the service refuses, and for one that the user leaves. */
export function createSignIn(
  store: Store,
  { onOpen, forget }: { onOpen: (key: string) => void; forget: () => void },
): SignIn {
  const input = byId<HTMLInputElement>('key');
  byId('key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void open(input.value.trim());
  });
  byId('show-key').addEventListener('click', () => {
    const isShown = input.type === 'text';
    input.type = isShown ? 'password' : 'text';
    byId('show-key').setAttribute('aria-pressed', String(!isShown));
  });
  byId('change-key').addEventListener('click', () => {
    forget();
    // The next key must not start with the values of this one.
    history.replaceState(null, '', location.pathname);
    ask();
  });
  store.listen(['session'], ({ session }) => {
    byId('sign-in').hidden = session !== undefined;
    byId('workspace').hidden = session === undefined;
    byId('key-state').hidden = session === undefined;
    byId('key-kind').textContent = isToken(session?.key ?? '') ? 'Token of' : 'Key';
    byId('key-name').textContent = session?.keyName ?? '';
  });
  return { ask, open };

  function ask(message?: string): void {
    store.get().running?.controller.abort();
    store.set({
      ...{ session: undefined, current: undefined, shown: undefined, problem: undefined },
      running: undefined,
    });
    byId('sign-in').hidden = false;
    tell(message);
    input.focus();
    input.select();
  }

  async function open(key: string): Promise<boolean> {
    if (key === '') {
      ask('Enter an API key or a token.');
      return false;
    }
    const button = byId<HTMLButtonElement>('open');
    button.disabled = true;
    try {
      const { key: own, endpoints } = await fetchCatalogue(key);
      input.value = '';
      tell(undefined);
      onOpen(key);
      store.set({ session: { key, keyName: own.name, endpoints } });
      return true;
    } catch (error) {
      const failure = error instanceof RequestError ? error : new RequestError(String(error));
      // Only a refused key is wrong: any other can be tried again, after a reload too.
      if (failure.code === 401) forget();
      ask(explainKeyError(failure, navigator.onLine));
      if (failure.code !== 401) input.value = key;
      return false;
    } finally {
      button.disabled = false;
    }
  }

  function tell(message: string | undefined): void {
    const error = byId('key-error');
    error.textContent = message ?? '';
    error.hidden = message === undefined;
    if (message === undefined) input.removeAttribute('aria-invalid');
    else input.setAttribute('aria-invalid', 'true');
  }
}
