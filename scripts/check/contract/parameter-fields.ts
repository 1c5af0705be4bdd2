// What each field of a parameter means to callers, by the rule that reads their values.
import { isAbsent } from '../../../functions/core/parameter-type.ts';
import {
  ITEMS_MAX,
  type ParameterDefinition,
  type ParameterRule,
  createParameterRule,
} from '../../../functions/endpoints/parameter-rule.ts';
import { type Fields, type Verdict, mayBeDropped, mayGrow, mayShrink } from './fields.ts';

interface Parameter extends ParameterDefinition {
  rule: ParameterRule;
}

/** A call without the parameter, and one with an empty value. */
const ABSENT = [undefined, ''];

/** A bound that every value keeps counts as none: no value is empty, and no list is longer than `ITEMS_MAX`. */
export const PARAMETER: Fields<Parameter, keyof ParameterDefinition> = {
  description: null,
  example: null,
  // Of any two types, one takes a text that the other refuses, or tells texts apart that are equal to the other.
  type: (before, now) => (before.rule.type === now.rule.type ? 'same' : 'narrower'),
  required(before, now) {
    const isTaken = (side: Parameter, text?: string): boolean => reading(side, text) !== undefined;
    const texts = ABSENT.filter((text) => isTaken(before, text) !== isTaken(now, text));
    return compareReadings(before, now, texts);
  },
  default: (before, now) => compareReadings(before, now, ABSENT),
  minLength: mayShrink('minLength', 1),
  maxLength: mayGrow('maxLength', Infinity),
  pattern: mayBeDropped('pattern'),
  format: mayBeDropped('format'),
  minimum: mayShrink('minimum', -Infinity),
  maximum: mayGrow('maximum', Infinity),
  minItems: mayShrink('minItems', 1),
  maxItems: mayGrow('maxItems', ITEMS_MAX),
  enum(before, now) {
    if (before.enum === undefined) return 'narrower';
    const verdict = compareListed(before, now, (parameter) => parameter.enum);
    return verdict === 'same' && now.enum === undefined ? 'wider' : verdict;
  },
  aliases: (before, now) => compareListed(before, now, ({ aliases = {} }) => Object.keys(aliases)),
  otherwise(before, now) {
    if (before.otherwise === undefined) return before.enum === undefined ? 'same' : 'wider';
    if (now.otherwise === undefined) return 'narrower';
    const isKept = reading(before, before.otherwise) === reading(now, now.otherwise);
    return isKept ? 'same' : 'narrower';
  },
};

/** The rule takes one value of an ARRAY, and has no pattern: these fields are compared by themselves. */
export function withRule(definition: ParameterDefinition): Parameter {
  return { ...definition, rule: createParameterRule({ ...definition, minItems: 1 }, undefined) };
}

/** Whether a call without it is refused. */
export function isNeeded(parameter: Parameter): boolean {
  return reading(parameter, undefined) === undefined;
}

/** The value as which the service reads a text; undefined if it refuses it. */
function reading({ rule }: Parameter, text: string | undefined): string | undefined {
  const { value, fault } = rule.read(text === undefined ? undefined : [text]);
  if ((fault ?? rule.check(value)) !== undefined) return undefined;
  return isAbsent(value) ? '' : JSON.stringify([value].flat());
}

function compareReadings(
  before: Parameter,
  now: Parameter,
  texts: readonly (string | undefined)[] = [],
): Verdict {
  const changed = texts.filter((text) => reading(before, text) !== reading(now, text));
  if (changed.length === 0) return 'same';
  return changed.every((text) => reading(before, text) === undefined) ? 'wider' : 'narrower';
}

/** What is listed newly breaks nobody: it was refused, or stood for a value that its caller did not name. */
function compareListed(
  before: Parameter,
  now: Parameter,
  textsOf: (parameter: Parameter) => readonly string[] | undefined,
): Verdict {
  const verdict = compareReadings(before, now, textsOf(before));
  if (verdict !== 'same') return verdict;
  return compareReadings(before, now, textsOf(now)) === 'same' ? 'same' : 'wider';
}
