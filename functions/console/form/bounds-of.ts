// States which values a parameter takes, before a wrong one is sent.
import type { Parameter } from '../service.ts';
import { choicesOf, scalarOf } from './parameter-kind.ts';

const KINDS: Record<string, string> = {
  INT64: 'A whole number',
  FLOAT64: 'A number',
  NUMERIC: 'A decimal number',
};

/** A sentence; empty where the control shows all there is to know. */
export function boundsOf(parameter: Parameter): string {
  if (choicesOf(parameter) !== undefined) return '';
  const { minLength, maxLength, minItems, maxItems, format } = parameter;
  const size = sizeOf(parameter);
  const length = range(minLength, maxLength);
  const items = range(minItems, maxItems);
  const parts = [
    KINDS[scalarOf(parameter)] ?? '',
    size,
    length === '' ? '' : `${length} characters`,
    format === 're2' ? 'a regular expression (RE2)' : '',
    items === '' ? '' : `${items} values`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : asSentence(parts.join(', '));
}

/** With a capital and a full stop, so that no text runs into the next one. */
export function asSentence(text: string): string {
  const end = /[.!?…]$/.test(text) ? '' : '.';
  return text.charAt(0).toUpperCase() + text.slice(1) + end;
}

/** How large a number may be, such as `1 to 100`; empty without bounds. */
export function sizeOf({ minimum, maximum }: Parameter): string {
  return range(minimum, maximum);
}

function range(least: number | undefined, most: number | undefined): string {
  if (least === undefined) return most === undefined ? '' : `up to ${most}`;
  return most === undefined ? `at least ${least}` : `${least} to ${most}`;
}
