// The call of the form as code, in the language that is chosen.
import { useState } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { valuesToSend } from '../form/form-values.ts';
import { type Endpoint, isToken } from '../service.ts';
import { get } from '../state.ts';
import { API_KEY, TOKEN, fill, readLanguages, writeCall } from './languages.ts';
import text from './languages.txt';

const LANGUAGES = readLanguages(text);

export function CodeTab({ endpoint }: { endpoint: Endpoint }) {
  const { session, draft } = get();
  const [index, choose] = useState(0);
  const language = LANGUAGES[index];
  if (language === undefined) return null;
  const credential = isToken(session?.key ?? '') ? TOKEN : API_KEY;
  const parameters = valuesToSend(endpoint, draft);
  const code = writeCall(language, { origin: location.origin, endpoint, parameters, credential });
  return (
    <>
      <div class="row">
        <select
          id="language"
          aria-label="Language"
          value={index}
          onInput={({ currentTarget: { selectedIndex } }) => choose(selectedIndex)}
        >
          {LANGUAGES.map(({ label }, value) => (
            <option key={label} value={value}>
              {label}
            </option>
          ))}
        </select>
        <CopyButton text={() => code} />
      </div>
      <p class="muted small">
        {fill(language.hint, credential)
          .split('`')
          .map((part, place) => (place % 2 === 0 ? part : <code key={part}>{part}</code>))}
      </p>
      <pre id="snippet" tabIndex={0} aria-label={language.label}>
        {code}
      </pre>
    </>
  );
}
