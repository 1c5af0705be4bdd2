// Finds what an author can write in place of SQL that GoogleSQL refuses, by the kind of its message and the text around its place.
import { nearName } from '../../../functions/endpoints/near-name.ts';
import type { PartitionedTable } from '../../local-bigquery/index.ts';
import remedies from './sql-remedies.json' with { type: 'json' };

const { messages } = remedies;
const pairs: Readonly<Record<string, string>> = remedies.pairs;
const types: Readonly<Record<string, string>> = remedies.types;

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
  if (brief.includes('Illegal input character "\\')) {
    const character = String.fromCodePoint(sql.codePointAt(offset) ?? 0);
    return `Syntax error: Illegal input character ${character}; write the plain one, such as ' or -, or the name around it in back quotes`;
  }
  const around = `${sql.slice(0, offset)}¦${sql.slice(offset)}`;
  const isOfParameter = /^(?:[\w.]+\s*[!<>=]+\s*)?@\w/.test(sql.slice(offset));
  const written = listedRemedy(message, brief, around) ?? conflictRemedy(brief, isOfParameter);
  if (written) return `${brief.replace(/; Did you mean .*/, '')}; write ${written}`;
  if (written !== undefined) return message;
  // GoogleSQL suggests a name only where none stands before it.
  const [, misspelt] = /^Name (\w+) not found inside/.exec(message) ?? [];
  const read = sources.filter(({ name }) => sql.includes(name));
  const columns = read.flatMap(({ fields }) => fields.map(({ name }) => name));
  const near = misspelt && nearName(misspelt, columns);
  return near ? `${message}; did you mean ${near}?` : message;
}

/** The remedy of the first row whose patterns match; in a pattern of the text, `¦` is the place of the fault. '' means none. */
function listedRemedy(message: string, brief: string, around: string): string | undefined {
  for (const [pattern = '', remedy = '', text] of messages) {
    const told = new RegExp(pattern, 'i').exec(pattern.includes('Supported') ? message : brief);
    const found = text && told ? new RegExp(filled(text, told), 'i').exec(around) : undefined;
    if (told === null || found === null) continue;
    return filled(remedy, told).replaceAll(/[$]<(\w+)>/g, (_, name: string) => {
      const value = found?.groups?.[name] ?? '';
      const upper = value.toUpperCase();
      return name === 'part' ? upper : name === 'type' ? (types[upper] ?? upper) : value;
    });
  }
  return undefined;
}

function filled(text: string, told: RegExpExecArray): string {
  return text.replaceAll(/[$](\d)/g, (_, at: string) => told[Number(at)] ?? '');
}

/** How two values of different types become comparable, without a change of their order; or of one type. */
function conflictRemedy(brief: string, isOfParameter: boolean): string | undefined {
  const [, isOneType, list = ''] = CONFLICT.exec(brief) ?? [];
  const [listed = ''] = list.split(/;|, DATE_TIME_PART/);
  const all = [...new Set(listed.replaceAll(/[{}]/g, '').split(/, | and /))];
  const [one = '', other = '', ...more] = /function IF\b/.test(brief) ? all.slice(1) : all;
  if (other === '' || more.length > 0 || /[<>]/.test(one + other)) return undefined;
  const base = [one, other].find((type) => type === 'JSON') ?? 'STRING';
  const rest = one === base ? other : one;
  // Any value has a text, but not every text is a number or a time.
  if (isOneType && [one, other].includes('STRING') && base !== 'JSON') {
    return `${isOneType.startsWith('incomp') ? '' : 'values of one type: '}CAST(… AS STRING) for the ${rest}`;
  }
  const ofBase = [one, other].includes(base) ? pairs[`${base} *`] : undefined;
  const remedy = (pairs[[one, other].sort().join(' ')] ?? ofBase)?.replace('{*}', rest);
  const declared = isOfParameter ? ', or change the type of the parameter in endpoint.json' : '';
  return remedy && remedy + declared;
}
