// Shows the call of the form as code, in the language that is chosen.
import { copyButton } from '../copy-button.ts';
import { byId, h } from '../dom.ts';
import { readFields } from '../form/form.ts';
import type { Store } from '../store.ts';
import { isToken } from '../service.ts';
import { LANGUAGES } from './snippets/languages.ts';
import { API_KEY, type Credential, type Language, TOKEN } from './snippets/snippet.ts';

interface CodeDeps {
  /** The id of the chosen language; undefined at first. */
  chosen: () => string | undefined;
  onChoice: (language: string) => void;
}

/** Returns a function that shows the code again, after the values of the form were set. */
export function createCode(store: Store, { chosen, onChoice }: CodeDeps): () => void {
  const radios = LANGUAGES.map(({ id }) =>
    h('input', { type: 'radio', name: 'language', value: id }),
  );
  const current = radios.find(({ value }) => value === chosen()) ?? radios[0];
  if (current !== undefined) current.checked = true;
  byId('languages').replaceChildren(
    ...radios.map((radio, index) =>
      h('label', {}, radio, h('span', {}, LANGUAGES[index]?.label ?? '')),
    ),
  );
  byId('languages').addEventListener('change', () => {
    const language = languageNow();
    onChoice(language.id);
    show();
  });
  byId('form').addEventListener('input', show);
  return show;

  function languageNow(): (typeof LANGUAGES)[number] {
    const index = radios.findIndex(({ checked }) => checked);
    return LANGUAGES[index] ?? LANGUAGES[0];
  }

  function show(): void {
    const { current: endpoint, session } = store.get();
    if (endpoint === undefined || session === undefined) return;
    const credential = isToken(session.key) ? TOKEN : API_KEY;
    const language = languageNow();
    const parameters = readFields(endpoint);
    const { origin } = location;
    const snippets = language.write({ origin, endpoint, parameters, credential });
    const hint = h('p', { class: 'muted small' }, ...withCode(hintOf(language, credential)));
    const isOne = snippets.length === 1;
    byId('snippets').replaceChildren(
      ...(isOne ? [] : [hint]),
      ...snippets.map(({ title = language.label, text }, index) => {
        const id = index === 0 ? 'snippet' : `snippet-${index + 1}`;
        const code = h('pre', { id, tabindex: '0', 'aria-label': title }, ...breakable(text));
        const above = isOne ? hint : h('h3', {}, title);
        return h('div', {}, h('div', { class: 'above' }, above, copyButton('Copy', code)), code);
      }),
    );
  }
}

function hintOf({ hint }: Language, credential: Credential): string {
  const text = hint(credential);
  return credential.noun === 'key' ? text : `${text} When the token expires, use a new one.`;
}

/** Text between backticks is code. */
function withCode(text: string): (Node | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : h('code', {}, part)));
}

/** A long address is broken between its parts. */
function breakable(text: string): (Node | string)[] {
  return text
    .split(/(?<=[?&/])/)
    .flatMap((part, index) => (index === 0 ? [part] : [h('wbr'), part]));
}
