// The call of the form as code, in the language that is chosen.
import { useState } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { valuesToSend } from '../form/form-values.ts';
import { type Endpoint, isToken } from '../service.ts';
import { get } from '../state.ts';
import { API_KEY, LANGUAGES, TOKEN, hintOf, writeCall } from './snippets/languages.ts';

export function CodeTab({ endpoint }: { endpoint: Endpoint }) {
  const { session, draft } = get();
  const [id, choose] = useState('');
  const language = LANGUAGES.find((each) => each.id === id) ?? LANGUAGES[0];
  const credential = isToken(session?.key ?? '') ? TOKEN : API_KEY;
  const parameters = valuesToSend(endpoint, draft);
  const { origin } = location;
  const text = writeCall(language, { origin, endpoint, parameters, credential });
  return (
    <div id="snippets">
      <div class="row">
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
        <CopyButton text={() => text} />
      </div>
      <p class="muted small">
        {hintOf(language, credential)
          .split('`')
          .map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))}
      </p>
      <pre id="snippet" tabIndex={0} aria-label={language.label}>
        {text}
      </pre>
    </div>
  );
}
