// Writes a call for PowerShell, including Windows PowerShell.
import { pathOf } from '../../service.ts';
import type { Language } from './snippet.ts';

/** PowerShell ends a string at each of these too. */
const QUOTES = /['\u2018-\u201b]/g;

export const powerShell: Language = {
  id: 'powershell',
  label: 'PowerShell',
  hint: "For PowerShell 5.1 and later. Set the key first: `$env:API_KEY = '<your API key>'`",
  write: ({ origin, endpoint, parameters }) => {
    // All of it is ASCII: a script file of Windows PowerShell need not be UTF-8.
    const url = quote(origin + pathOf(endpoint, parameters));
    const ask = "$answer = Invoke-RestMethod -Uri $url -Headers @{ 'X-API-KEY' = $env:API_KEY }";
    return [{ text: `$url = ${url}\n${ask}\n$answer.result` }];
  },
};

function quote(text: string): string {
  return `'${text.replaceAll(QUOTES, '$&$&')}'`;
}
