// Writes a call for Python, with only its standard library.
import { pairsOf } from '../../service.ts';
import { type Call, INVISIBLE, type Language } from './snippet.ts';

export const python: Language = {
  id: 'python',
  label: 'Python',
  hint: 'For Python 3.6 and later, without packages. It reads the key from the environment variable `API_KEY`.',
  write: (call) => [{ text: textOf(call) }],
};

/** The empty line after the block ends it where the text is pasted into a Python prompt. */
function textOf({ origin, endpoint, parameters }: Call): string {
  const pairs = pairsOf(parameters).map(
    ([name, value]) => `    (${quote(name)}, ${quote(value)}),\n`,
  );
  return `import json
import os
import time
import urllib.parse
import urllib.request

query = urllib.parse.urlencode([
${pairs.join('')}])
request = urllib.request.Request(
    ${quote(`${origin}${endpoint.path}?`)} + query,
    headers={"X-API-KEY": os.environ["API_KEY"], "Prefer": "wait=60"},
)
while True:
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    if response.status != 202:
        break
    time.sleep(int(response.headers["Retry-After"]))  # The query goes on.

print(json.dumps(answer["result"], indent=2))`;
}

/** Python reads the escapes of JSON, but no pairs of surrogates. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll(
    INVISIBLE,
    (character) => `\\U${character.codePointAt(0)?.toString(16).padStart(8, '0')}`,
  );
}
