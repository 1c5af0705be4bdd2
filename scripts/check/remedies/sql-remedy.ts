// Finds what an author can write in place of SQL that GoogleSQL refuses, by the kind of its message.
import remedies from './sql-remedies.json' with { type: 'json' };

/** A comparison of two names or literals, whatever is around them. */
const COMPARISON =
  /^(@?\w[\w.]*|'[^']*')\s*[!<>=]+\s*(@?\w[\w.]*|'[^']*')(?=\s*(?:$|[),;|]|(?:AND|AS|OR|FROM|GROUP|ORDER|LIMIT|THEN|QUALIFY)\b))/i;

/** The message, whose place in the text is `offset`, with what to write if that is known. */
export function withRemedy(message: string, sql: string, offset: number): string {
  const brief = message.replace(/[.] Supported signatures?:.*/, '');
  const isOf = (one: string) => new RegExp(one).exec(one.includes('Supported') ? message : brief);
  const [pattern = '', remedy = ''] = remedies.find(([one = '']) => isOf(one)) ?? [];
  if (remedy === '' || /types:?.*STRUCT</.test(brief)) return message;
  const types = (/types:? (.+)/.exec(brief)?.[1] ?? '').split(/, | and /);
  const compared = COMPARISON.exec(sql.slice(offset));
  const [, list = '…'] = /(?<![\w`.])([\w`][\w`.]*)\s*[.]\s*$/.exec(sql.slice(0, offset)) ?? [];
  const given = (type: string): string =>
    compared?.[types.findIndex((one) => new RegExp(`^${type}(?!\\w)`).test(one)) + 1 || 3] ?? '…';
  const written = remedy
    .replaceAll(/[$](\d)/g, (_, at: string) => isOf(pattern)?.[Number(at)] ?? '')
    .replaceAll(/\{(.+?)\}/g, (_, type: string) => (type === 'list' ? list : given(type)));
  const [parameter] = (!written.includes(' IN ') && /@\w+/.exec(written)) || [];
  const declared = parameter ? `, or give ${parameter} the other type in endpoint.json` : '';
  return `${brief}; write ${written}${declared}`;
}
