// The call of the form as code, in the language that is chosen.
import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { valuesToSend } from '../form/form-values.ts';
import { type Endpoint, isToken } from '../service.ts';
import type { State } from '../state.ts';
import { API_KEY, LANGUAGES, TOKEN, hintOf, writeCall } from './snippets/languages.ts';

type CodeProps = Pick<State, 'session' | 'draft'> & { endpoint: Endpoint };

export function CodeTab({ session, endpoint, draft }: CodeProps) {
  const [id, choose] = useState('');
  const language = LANGUAGES.find((each) => each.id === id) ?? LANGUAGES[0];
  const credential = isToken(session?.key ?? '') ? TOKEN : API_KEY;
  const parameters = valuesToSend(endpoint, draft);
  const { origin } = location;
  const snippets = writeCall(language, { origin, endpoint, parameters, credential });
  return (
    <>
      <select
        id="language"
        aria-label="Language"
        value={language.id}
        onInput={({ currentTarget: { value } }) => choose(value)}
      >
        {LANGUAGES.map((each) => (
          <option key={each.id} value={each.id}>
            {each.label}
          </option>
        ))}
      </select>
      <div id="snippets" key={language.id}>
        <p class="muted small">
          {hintOf(language, credential)
            .split('`')
            .map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))}
        </p>
        {snippets.map(({ title = language.label, text }, index) => (
          <div key={title}>
            <div class="row">
              <h2>{title}</h2>
              <CopyButton class="secondary end" text={() => text} />
            </div>
            <pre id={index === 0 ? 'snippet' : 'snippet-2'} tabIndex={0} aria-label={title}>
              {breakable(text)}
            </pre>
          </div>
        ))}
      </div>
    </>
  );
}

/** A long address is broken between its parts. */
function breakable(text: string): ComponentChildren {
  return text.split(/(?<=[?&/])/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
