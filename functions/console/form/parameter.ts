// What kind of values a parameter takes, and how the page says it before a wrong one is sent.
import type { Endpoint } from '../service.ts';

export type Parameter = Endpoint['parameters'][number];

/** The type of one value. */
export function scalarOf({ type }: Pick<Parameter, 'type'>): string {
  return type.replace(/^ARRAY<(.+)>$/, '$1');
}

export function isList({ type }: Parameter): boolean {
  return type.startsWith('ARRAY<');
}

/** The values to choose from; undefined if any may be entered. */
export function choicesOf(parameter: Parameter): string[] | undefined {
  const choices = parameter.allowedValues ?? parameter.enum;
  if (choices !== undefined) return choices.filter((choice) => choice !== '');
  return scalarOf(parameter) === 'BOOL' ? ['true', 'false'] : undefined;
}

/** Whether its values are the lines of one text. */
export function isTextList(parameter: Parameter): boolean {
  return isList(parameter) && choicesOf(parameter) === undefined;
}

/** Whether its field shows the clock of a zone. */
export function isZoned(parameter: Parameter): boolean {
  return parameter.type === 'TIMESTAMP' && choicesOf(parameter) === undefined;
}

/** A sentence; empty where the control shows all there is to know. */
export function boundsOf(parameter: Parameter): string {
  if (choicesOf(parameter) !== undefined) return '';
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format } = parameter;
  const texts = [
    parameter.type,
    range(minimum, maximum),
    range(minLength, maxLength, ' characters'),
    format === 're2' && 'a regular expression (RE2)',
    range(minItems, maxItems, ' values'),
  ];
  return asSentence(texts.filter(Boolean).join(', '));
}

/** With a capital and a full stop, so that no text runs into the next one. */
export function asSentence(text: string): string {
  const end = /[.!?…]$|^$/.test(text) ? '' : '.';
  return text.charAt(0).toUpperCase() + text.slice(1) + end;
}

function range(least: number | undefined, most: number | undefined, unit = ''): string {
  if (most === undefined) return least === undefined ? '' : `at least ${least}${unit}`;
  return `${least === undefined ? 'up to' : `${least} to`} ${most}${unit}`;
}
