// Writes a call for JavaScript.
import { pairsOf } from '../../service.ts';
import { type Call, type Language, headerValue, jsonText } from './snippet.ts';

export const javaScript: Language = {
  id: 'javascript',
  label: 'JavaScript',
  hint: ({ noun, variable }) => {
    const inPage =
      noun === 'key'
        ? 'Never put a key into a web page.'
        : `In a web page, put the token of its user in place of \`process.env.${variable}\`.`;
    return `For Node.js 18 and later, in a module (\`.mjs\`). It reads the ${noun} from the environment variable \`${variable}\`. ${inPage}`;
  },
  write: (call) => [{ text: textOf(call) }],
};

function textOf({ origin, endpoint, parameters, credential }: Call): string {
  const url = jsonText(origin + endpoint.path);
  const pairs = pairsOf(parameters).map(
    ([name, value]) => `  [${jsonText(name)}, ${jsonText(value)}],\n`,
  );
  const value = headerValue(credential, `process.env.${credential.variable}`);
  return `const url = new URL(${url});
url.search = new URLSearchParams([
${pairs.join('')}]);
const headers = { "${credential.header}": ${value}, Prefer: "wait=60" };
let response = await fetch(url, { headers });
while (response.status === 202) { // The query goes on.
  const seconds = Number(response.headers.get("Retry-After"));
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  response = await fetch(url, { headers });
}
if (!response.ok) throw new Error(await response.text());
const { result } = await response.json();
console.log(result);`;
}
