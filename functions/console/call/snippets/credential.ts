// With what a call is authenticated: an API key, or a token.

export interface Credential {
  noun: 'key' | 'token';
  /** The environment variable that contains it. */
  variable: string;
  placeholder: string;
  /** As Power Query names it. */
  identifier: string;
  header: string;
  /** In front of it in the header. */
  scheme: '' | 'Bearer ';
  /** Where a web page has it. */
  inPage: string;
}

export const API_KEY: Credential = {
  noun: 'key',
  variable: 'API_KEY',
  placeholder: '<your API key>',
  identifier: 'ApiKey',
  header: 'X-API-KEY',
  scheme: '',
  inPage: 'Never put a key into a web page.',
};
export const TOKEN: Credential = {
  noun: 'token',
  variable: 'API_TOKEN',
  placeholder: '<your token>',
  identifier: 'Token',
  header: 'Authorization',
  scheme: 'Bearer ',
  inPage: 'In a web page, put the token of its user in place of `process.env.API_TOKEN`.',
};
