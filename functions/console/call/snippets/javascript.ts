// Writes a call for JavaScript.
import { pairsOf } from '../../service.ts';
import { type Call, type Language, jsonText } from './snippet.ts';

export const javaScript: Language = {
  id: 'javascript',
  label: 'JavaScript',
  hint: 'For Node.js 18 and later, in a module (`.mjs`). It reads the key from the environment variable `API_KEY`. Never put a key into a web page.',
  write: (call) => [{ text: textOf(call) }],
};

function textOf({ origin, endpoint, parameters }: Call): string {
  const url = jsonText(origin + endpoint.path);
  const pairs = pairsOf(parameters).map(
    ([name, value]) => `  [${jsonText(name)}, ${jsonText(value)}],\n`,
  );
  return `const url = new URL(${url});
url.search = new URLSearchParams([
${pairs.join('')}]);
const headers = { "X-API-KEY": process.env.API_KEY, Prefer: "wait=60" };
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
