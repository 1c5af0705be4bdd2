// Writes a call for PowerShell, including Windows PowerShell.
import { pathOf } from '../../service.ts';
import type { Credential, Language } from './snippet.ts';

/** PowerShell ends a string at each of these too. */
const QUOTES = /['\u2018-\u201b]/g;

/** 202 is no error for it, so that no version needs a way of its own to read `Retry-After`. */
const ASK = `$answer = Invoke-RestMethod -Uri $url -Headers $headers
while ($answer.error) { # The query goes on.
  $retry = $answer.error.details | Where-Object { $_.retryDelay }
  Start-Sleep -Seconds ([int]$retry.retryDelay.TrimEnd('s'))
  $answer = Invoke-RestMethod -Uri $url -Headers $headers
}
$answer.result`;

export const powerShell: Language = {
  id: 'powershell',
  label: 'PowerShell',
  hint: ({ noun, variable, placeholder }) =>
    `For PowerShell 5.1 and later. Set the ${noun} first: \`$env:${variable} = '${placeholder}'\``,
  write: ({ origin, endpoint, parameters, credential }) => {
    // All of it is ASCII: a script file of Windows PowerShell need not be UTF-8.
    const url = quote(origin + pathOf(endpoint, parameters));
    return [{ text: `$url = ${url}\n${headers(credential)}\n${ASK}` }];
  },
};

function headers({ header, scheme, variable }: Credential): string {
  const value = scheme === '' ? `$env:${variable}` : `"${scheme}$env:${variable}"`;
  return `$headers = @{ '${header}' = ${value}; 'Prefer' = 'wait=60' }`;
}

function quote(text: string): string {
  return `'${text.replaceAll(QUOTES, '$&$&')}'`;
}
