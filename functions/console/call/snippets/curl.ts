// Writes a call as a curl command.
import { shellQuote } from '../../shell-quote.ts';
import { pathOf } from '../../service.ts';
import type { Language } from './snippet.ts';

export const curl: Language = {
  id: 'curl',
  label: 'curl',
  hint: "For bash and zsh. Set the key first: `export API_KEY='<your API key>'`",
  write: ({ origin, endpoint, parameters }) => {
    const url = shellQuote(origin + pathOf(endpoint, parameters));
    return [{ text: `curl --compressed -H "X-API-KEY: $API_KEY" \\\n  ${url}` }];
  },
};
