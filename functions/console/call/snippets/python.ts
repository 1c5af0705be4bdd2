// Writes a call for Python, with only its standard library.
import { pairsOf } from '../../service.ts';
import { type Call, INVISIBLE, type Language, headerValue } from './snippet.ts';

export const python: Language = {
  id: 'python',
  label: 'Python',
  hint: ({ noun, variable }) =>
    `For Python 3.6 and later, without packages. It reads the ${noun} from the environment variable \`${variable}\`.`,
  write: (call) => [{ text: textOf(call) }],
};

/** The empty line after the block ends it where the text is pasted into a Python prompt. */
function textOf({ origin, endpoint, parameters, credential }: Call): string {
  const pairs = pairsOf(parameters).map(
    ([name, value]) => `    (${quote(name)}, ${quote(value)}),\n`,
  );
  const value = headerValue(credential, `os.environ["${credential.variable}"]`);
  return `import json
import os
import time
import urllib.parse
import urllib.request

query = urllib.parse.urlencode([
${pairs.join('')}])
request = urllib.request.Request(
    ${quote(`${origin}${endpoint.path}?`)} + query,
    headers={"${credential.header}": ${value}, "Prefer": "wait=60"},
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
