// What a saved query names: its parameters and the functions it calls.

/** Comments, strings and quoted identifiers of GoogleSQL: nothing in them is code. */
const NOT_CODE =
  /"""(?:\\[\s\S]|[\s\S])*?"""|'''(?:\\[\s\S]|[\s\S])*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\//g;

/** Names of the parameters (`@name`) in order of first use; system variables (`@@name`) are none. */
export function parameterNames(sql: string): string[] {
  return uniqueMatches(sql, /(?<!@)@([A-Za-z_]\w*)/g);
}

/** Names of everything that is called like a function, in order of first use. */
export function calledFunctions(sql: string): string[] {
  return uniqueMatches(sql, /\b([A-Za-z_]\w*)\s*\(/g);
}

function uniqueMatches(sql: string, pattern: RegExp): string[] {
  const code = sql.replace(NOT_CODE, ' ');
  return [...new Set([...code.matchAll(pattern)].map((match) => match[1] ?? ''))];
}
