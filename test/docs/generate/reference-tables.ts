// The tables of errors, of settings and of the report of warming, whose meanings are in remedies.json and in JSON files of functions/.
import { SETTINGS, type Setting } from '../../../functions/config.ts';
import { REASONS, type Reason } from '../../../functions/core/errors.ts';
import report from '../../../functions/warming/report.json' with { type: 'json' };
import { LOCAL_SETTINGS } from '../../../scripts/cli/project.ts';
import { DEPLOYED_BY } from '../../infra/deployed-by.ts';
import { code, table } from './markdown.ts';
import remedies from './remedies.json' with { type: 'json' };

/** What to do, and who can remove the cause: the caller, the author of the query, the operator, or time. */
const REMEDIES: Readonly<Record<Reason, string[]>> = remedies;

export function errorTable(): string {
  const reasons = Object.keys(REASONS) as Reason[];
  const header = ['reason', 'code', 'status', '`Retry-After`', 'when', 'what to do', 'who'];
  const rows = reasons.map((reason) => {
    const { code: httpCode, status, retryAfterSeconds, description } = REASONS[reason];
    const retry = retryAfterSeconds === undefined ? '' : `${retryAfterSeconds} s`;
    return [code(reason), String(httpCode), status, retry, description, ...REMEDIES[reason]];
  });
  return table(header, rows);
}

export function reportTable(): string {
  const rows = Object.entries(report).map(([name, meaning]) => [code(name), meaning]);
  return table(['field', 'meaning'], rows);
}

export function settingTable(): string {
  return table(
    ['variable', 'default', 'values', 'in a deployment', 'meaning'],
    Object.values<Setting>(SETTINGS).map(
      ({ name, description, default: value, range, allowed, must }) => [
        code(name),
        value === undefined ? 'required' : code(value) || 'none',
        range
          ? `${range[0]} to ${range[1]}`
          : (allowed?.map(code).join(', ') ?? must?.replace(/^be /, '') ?? 'text'),
        deployedBy(name),
        description,
      ],
    ),
  );
}

function deployedBy(name: string): string {
  if (LOCAL_SETTINGS.includes(name)) return 'local only';
  const by = DEPLOYED_BY[name];
  if (by === undefined) return code('settings');
  return by.default === undefined ? code(by.variable) : `${code(by.variable)}: ${code(by.default)}`;
}
