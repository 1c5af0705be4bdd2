// Finds what an author can write in place of SQL that GoogleSQL refuses, by the kind of its message and the text around its place.
import { nearName } from '../../../functions/endpoints/near-name.ts';
import { openingBracket, textOf } from '../../lexer/brackets.ts';
import { type Tokens, isName, isSymbol, tokens } from '../../lexer/sql-tokens.ts';
import type { PartitionedTable } from '../../local-bigquery/index.ts';
import { aliasRemedy } from './alias-remedy.ts';
import characters from './characters.json' with { type: 'json' };
import remedies from './sql-remedies.json' with { type: 'json' };

const { messages } = remedies;
const pairs: Readonly<Record<string, string>> = remedies.pairs;
const types: Readonly<Record<string, string>> = remedies.types;

/** A comparison of two names or literals, whatever is around them. */
const COMPARISON =
  /^(@?\w[\w.]*|'[^']*')\s*[!<>=]+\s*(@?\w[\w.]*|'[^']*')(?=\s*(?:$|[),;|]|(?:AND|AS|OR|FROM|GROUP|ORDER|LIMIT|THEN|QUALIFY)\b))/i;

/** Whose operands have to be of one type. */
const CONFLICT =
  /(?:(operator CASE|function (?:COALESCE|IFNULL|IF)|incompatible)|operator|function (?:NULLIF|GREATEST|LEAST|\w+_DIFF)|uncomparable)\b.*?(?:types?:?|common type but found:) (.+)$/;

interface Place {
  /** Where the fault is in the text. */
  offset: number;
  sources: readonly PartitionedTable[];
}

/** The message with what to write, if that is known. */
export function withRemedy(message: string, sql: string, { offset, sources }: Place): string {
  const brief = message.replace(/[.] Supported signatures?:.*/, '');
  const character = illegalCharacter(sql, offset, brief);
  if (character !== undefined) return character;
  const written =
    castRemedy(sql, offset, brief) ??
    aliasRemedy(sql, offset, brief) ??
    listedRemedy(message, brief, `${sql.slice(0, offset)}¦${sql.slice(offset)}`)?.replaceAll(
      '{shards}',
      () => shardFormat(sql, sources),
    ) ??
    conflictRemedy(brief, sql.slice(offset));
  if (written) return `${brief.replace(/; Did you mean .*/, '')}; write ${written}`;
  if (written !== undefined) return message;
  // GoogleSQL suggests a name only where none stands before it.
  const [, misspelt] = /^Name (\w+) not found inside/.exec(message) ?? [];
  const read = sources.filter(({ name }) => sql.includes(name));
  const columns = read.flatMap(({ fields }) => fields.map(({ name }) => name));
  const near = misspelt && nearName(misspelt, columns);
  return near ? `${message}; did you mean ${near}?` : withoutFarNames(message);
}

/** The remedy of the first row whose patterns match; in a pattern of the text, `¦` is the place of the fault. '' means none. */
function listedRemedy(message: string, brief: string, around: string) {
  const [before = '', after = ''] = around.split('¦');
  const [, list = '…'] = /(?<![\w`.])([\w`][\w`.]*)\s*[.]\s*$/.exec(before) ?? [];
  for (const [pattern = '', remedy = '', text] of messages) {
    const told = new RegExp(pattern, 'i').exec(pattern.includes('Supported') ? message : brief);
    const found = text === undefined ? undefined : new RegExp(text, 'i').exec(around);
    if (told === null || found === null) continue;
    const given = (type: string): string => operandOf(brief, after, type);
    return remedy
      .replaceAll(/[$](\d)/g, (_, at: string) => told[Number(at)] ?? '')
      .replaceAll(/[$]<(\w+)>/g, (_, name: string) => {
        const value = found?.groups?.[name] ?? '';
        return name === 'part' ? value.toUpperCase() : value;
      })
      .replaceAll(/\{(?!shards)(.+?)\}/g, (_, type: string) =>
        type === 'list' ? list : given(type),
      );
  }
  return undefined;
}

/** How two values of different types become comparable, without a change of their order; or of one type. */
function conflictRemedy(brief: string, after: string): string | undefined {
  const [, isOneType, list = ''] = CONFLICT.exec(brief) ?? [];
  const all = [
    ...new Set(
      list
        .split(/;|, DATE_TIME_PART/)[0]
        ?.replaceAll(/[{}]/g, '')
        .split(/, | and /),
    ),
  ];
  const [one = '', other = '', ...more] = /function IF\b/.test(brief) ? all.slice(1) : all;
  if (other === '' || more.length > 0 || /[<>]/.test(one + other)) return undefined;
  const rest = one === 'STRING' ? other : one;
  // Any value has a text, but not every text is a number or a time.
  if (isOneType && [one, other].includes('STRING') && rest !== 'JSON') {
    return `${isOneType.startsWith('incomp') ? '' : 'values of one type: '}CAST(… AS STRING) for the ${rest}`;
  }
  const sorted = [one, other].sort();
  const [base, against] = sorted.includes('JSON')
    ? ['JSON', one === 'JSON' ? other : one]
    : ['STRING', rest];
  const remedy =
    pairs[sorted.join(' ')] ?? (sorted.includes(base) ? pairs[`${base} *`] : undefined);
  if (remedy === undefined) return undefined;
  const operands = [one, other].map((type) => operandOf(brief, after, type));
  const parameter = operands.findIndex((text) => text.startsWith('@'));
  const declared = `, or give ${operands[parameter]} the type ${[other, one][parameter]} in endpoint.json`;
  const written = remedy
    .replace('{*}', against)
    .replaceAll(/\{(\w+)\}/g, (_, type: string) => operandOf(brief, after, type))
    .replace(/CAST\('(-?\d[\d.]*)' AS (?:INT64|FLOAT64|NUMERIC)\)/, '$1');
  return written + (parameter < 0 ? '' : declared);
}

/** What has a type in the comparison that follows, whose types the message lists; … if that is not one name or literal. */
function operandOf(brief: string, after: string, type: string): string {
  const types = (/types:? (.+)/.exec(brief)?.[1] ?? '').split(/, | and /);
  const at = types.findIndex((one) => new RegExp(`^${type}(?!\\w)`).test(one));
  return COMPARISON.exec(after)?.[at + 1 || 3] ?? '…';
}

/** For `value::type`, as in PostgreSQL. */
function castRemedy(sql: string, offset: number, brief: string): string | undefined {
  const all = tokens(sql);
  const at = all.findIndex(({ start }) => start === offset);
  const isCast = isSymbol(all[at], ':') && isSymbol(all[at + 1], ':');
  const type = types[all[at + 2]?.text.toUpperCase() ?? ''];
  const isArray = isSymbol(all[at + 3], '[');
  if (!isCast || !brief.startsWith('Syntax error') || isArray || !type) return undefined;
  return `CAST(${textOf(sql, operandBefore(all, at))} AS ${type})`;
}

/** The name, call, literal or bracket that ends before a token. */
function operandBefore(all: Tokens, end: number): Tokens {
  let first = end - 1;
  for (;;) {
    const token = all[first];
    if (isSymbol(token, ')') || isSymbol(token, ']')) {
      const open = openingBracket(all, first - 1);
      const inner = all[first - 1]?.depth === all[first]?.depth ? first - 1 : open;
      first = inner < 0 ? first : inner;
      const isCall = isName(all[first - 1]) && all[first - 1]?.end === all[first]?.start;
      if (isCall || isSymbol(all[first], '[')) first--;
      continue;
    }
    if (!isSymbol(all[first - 1], '.')) return all.slice(first, end);
    first -= 2;
  }
}

/** The message for a character that is no SQL, which GoogleSQL names by one of its bytes. */
function illegalCharacter(sql: string, offset: number, brief: string): string | undefined {
  if (!/Illegal input character "\\\d+"/.test(brief)) return undefined;
  const code = sql.codePointAt(offset) ?? 0;
  const character = String.fromCodePoint(code);
  const [, plain] = characters.find(([list = '']) => list.includes(character)) ?? [];
  const [before = ''] = /[\p{L}\p{M}\w]*$/u.exec(sql.slice(0, offset)) ?? [];
  const [after = ''] = /^[\p{L}\p{M}\w]*/u.exec(sql.slice(offset)) ?? [];
  const remedy =
    plain !== undefined
      ? `write ${plain} in its place`
      : after === ''
        ? 'remove it'
        : `write the name in back quotes: \`${before}${after}\``;
  return `Syntax error: Illegal input character ${character} (U+${code.toString(16).toUpperCase().padStart(4, '0')}); ${remedy}`;
}

/** The format of the suffixes of the shards that a query names, as FORMAT_DATE takes it. */
function shardFormat(sql: string, sources: readonly PartitionedTable[]): string {
  const read = sources.find(({ definition }) => sql.includes(definition?.shards?.prefix ?? '\0'));
  const format = read?.definition?.shards?.format ?? 'YYYYMMDD';
  return `'${format.replace('YYYY', '%Y').replace('MM', '%m').replace('DD', '%d').replace('HH', '%H')}'`;
}

/** The engine suggests names that share some letters only, such as pow for NOW. */
function withoutFarNames(message: string): string {
  const isNear = /^(?!Function)|^Function not found: ((?:\w+[.])*\w\w)\w*; Did you mean \1/i.test(
    message,
  );
  return isNear ? message : message.replace(/; Did you mean .*/, '');
}
