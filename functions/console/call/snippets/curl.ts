// Writes a call as a curl command.
import { shellQuote } from '../../shell-quote.ts';
import { pathOf } from '../../service.ts';
import type { Language } from './snippet.ts';

export const curl: Language = {
  id: 'curl',
  label: 'curl',
  hint: ({ noun, variable, placeholder }) =>
    `For bash and zsh. Set the ${noun} first: \`export ${variable}='${placeholder}'\`. It asks again while the query runs; without \`--fail\` and \`--retry\` it shows the text of an error.`,
  write: ({ origin, endpoint, parameters, credential }) => {
    const { header, scheme, variable } = credential;
    const url = shellQuote(origin + pathOf(endpoint, parameters));
    // As long as a query may run by default.
    const options = '--compressed --fail --retry 20 --retry-max-time 600';
    return [{ text: `curl ${options} -H "${header}: ${scheme}$${variable}" \\\n  ${url}` }];
  },
};
