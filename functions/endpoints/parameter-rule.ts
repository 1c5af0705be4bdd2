// Makes the rule by which the values of one parameter are read and checked.
import type { Ajv, ErrorObject } from 'ajv';
import {
  type ParameterType,
  type ParameterValue,
  type ScalarType,
  absentValue,
  isAbsent,
  isScalarType,
  scalarTypeOf,
  textsOf,
} from '../core/parameter-type.ts';
import { errorMessage } from '../core/describe-error.ts';
import { type Canonical, canonicalScalar } from './canonical-scalar.ts';
import { type Decimal, compareDecimals, parseDecimal } from './decimal.ts';
import { linearPattern } from './linear-pattern.ts';
import { re2PatternFault } from './re2-pattern.ts';

/** A declared parameter; the keywords are those of JSON Schema, for each element of an ARRAY. */
export interface ParameterDefinition {
  description: string;
  required: boolean;
  /** STRING if absent. */
  type?: ParameterType;
  /** As in a query string; of an ARRAY one value or a list. */
  example: string | string[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  /** Bounds on the elements of an ARRAY. */
  minItems?: number;
  maxItems?: number;
  /** The allowed values. */
  enum?: string[];
  /** Other spellings of listed values. */
  aliases?: Record<string, string>;
  /** The value of an absent parameter, written as `example` is. */
  default?: string | string[];
  /** The value that replaces one outside `enum`, so that invented values share one cache entry. */
  otherwise?: string;
}

/** Faults complete "<parameter> …". */
export interface ParameterRule {
  type: ParameterType;
  /**
   * The value that a query string gives, in canonical spelling; of a text that is not of the type the text
   * itself, with the fault. `supplied` holds every value that was given, in their order.
   */
  read(supplied: readonly string[] | undefined): { value: ParameterValue; fault?: string };
  /** What the keywords have against a value that `read` returned without a fault. */
  check(value: ParameterValue): string | undefined;
  /** The same of one element of an ARRAY, or of a scalar; `text` is canonical and not empty. */
  checkElement(text: string): string | undefined;
  /** The canonical spelling of one value that a caller may send; undefined if it is not of the type. */
  canonical(text: string): string | undefined;
}

/** Receives a fault of the definition; `keyword` is the field that it is in. */
type ReportKeyword = (keyword: keyof ParameterDefinition, message: string) => void;

/** The most elements of an ARRAY. */
export const ITEMS_MAX = 100;
/** The most patterns of one value: checking one may take 10 ms. */
const PATTERNS_MAX = 10;

const STRING_KEYWORDS = ['minLength', 'maxLength', 'pattern', 'format'] as const;
const NUMBER_KEYWORDS = ['minimum', 'maximum'] as const;
const ARRAY_KEYWORDS = ['minItems', 'maxItems'] as const;
const NUMBER_TYPES: readonly ScalarType[] = ['INT64', 'FLOAT64', 'NUMERIC'];

/** The definition fits endpoint.schema.json; what is wrong beyond that is reported. */
export function createParameterRule(
  ajv: Ajv,
  definition: ParameterDefinition,
  report: ReportKeyword,
): ParameterRule {
  const { type = 'STRING', required, otherwise } = definition;
  const scalar = scalarTypeOf(type);
  const isArray = !isScalarType(type);
  reportMisplaced(definition, type, scalar, report);

  const spell = (text: string): Canonical => canonicalScalar(scalar, text);
  const listed = readListed(definition, spell, report);
  const aliases = readAliases(definition, listed, spell, report);
  const accepted = [...(definition.enum ?? []), ...aliases.keys()].join(', ');
  const checkText = createTextCheck(ajv, definition, scalar, report);
  const [itemsMin, itemsMax] = [definition.minItems ?? 0, definition.maxItems ?? ITEMS_MAX];
  if (itemsMin > itemsMax) report('minItems', `is more than maxItems (${itemsMax})`);
  if (isArray && definition.format === 're2' && itemsMax > PATTERNS_MAX) {
    report('format', `re2 in an ARRAY needs maxItems of at most ${PATTERNS_MAX}`);
  }

  const rule: ParameterRule = {
    type,
    read(supplied) {
      if (supplied === undefined) return { value: fallback };
      if (!isArray) {
        const [first = ''] = supplied;
        const read = first === '' ? { value: fallback } : readText(first);
        return supplied.length > 1 ? { ...read, fault: 'must be given once' } : read;
      }
      if (supplied.length === 1 && supplied[0] === '') return { value: [] };
      const read = supplied.map(readText);
      const faulty = read.findIndex(({ fault }) => fault !== undefined);
      const value = read.map((element) => element.value);
      return faulty < 0 ? { value } : { value, fault: ofElement(faulty, read[faulty]?.fault) };
    },
    check(value) {
      if (isAbsent(value)) return required ? 'is required and must not be empty' : undefined;
      const texts = textsOf(value);
      if (isArray && texts.length < itemsMin) return `must have at least ${count(itemsMin)}`;
      if (isArray && texts.length > itemsMax) return `must have at most ${count(itemsMax)}`;
      for (const [index, text] of texts.entries()) {
        const fault = rule.checkElement(text);
        if (fault !== undefined) return isArray ? ofElement(index, fault) : fault;
      }
      return undefined;
    },
    checkElement(text) {
      const isListed = listed?.has(text) ?? true;
      return isListed ? checkText(text) : `must be one of ${accepted}`;
    },
    canonical(text) {
      const spelled = spell(aliases.get(text) ?? text);
      return 'text' in spelled ? spelled.text : undefined;
    },
  };
  let fallback = absentValue(type);
  let replacement: string | undefined;
  if (definition.default !== undefined) fallback = readOwn('default', definition.default);
  readOwn('example', definition.example);
  if (otherwise !== undefined) {
    readOwn('otherwise', otherwise);
    replacement = rule.canonical(otherwise);
  }
  return rule;

  function readText(text: string): { value: string; fault?: string } {
    if (text === '') return { value: text, fault: 'must not be empty' };
    const spelled = spell(aliases.get(text) ?? text);
    if ('text' in spelled && (listed?.has(spelled.text) ?? true)) return { value: spelled.text };
    if (replacement !== undefined) return { value: replacement };
    return 'text' in spelled ? { value: spelled.text } : { value: text, fault: spelled.fault };
  }

  /** The value of a keyword that holds a value of the parameter. */
  function readOwn(
    keyword: 'default' | 'example' | 'otherwise',
    own: string | string[],
  ): ParameterValue {
    const isEmpty = own.length === 0;
    if (!isArray && typeof own !== 'string') {
      report(keyword, `must be one text, because the type is ${type}`);
      return absentValue(type);
    }
    if (isEmpty) {
      if (required || keyword !== 'example') report(keyword, 'must not be empty');
      return absentValue(type);
    }
    const { value, fault } = rule.read(typeof own === 'string' ? [own] : own);
    const problem = fault ?? rule.check(value);
    if (problem !== undefined) report(keyword, problem);
    return problem === undefined ? value : absentValue(type);
  }
}

function reportMisplaced(
  definition: ParameterDefinition,
  type: ParameterType,
  scalar: ScalarType,
  report: ReportKeyword,
): void {
  const misplaced = [
    ...(scalar === 'STRING' ? [] : STRING_KEYWORDS),
    ...(NUMBER_TYPES.includes(scalar) ? [] : NUMBER_KEYWORDS),
    ...(isScalarType(type) ? ARRAY_KEYWORDS : []),
  ];
  for (const keyword of misplaced) {
    if (definition[keyword] !== undefined) report(keyword, `does not go with the type ${type}`);
  }
}

/** The listed values in canonical spelling; undefined if any value is allowed. */
function readListed(
  { enum: texts }: ParameterDefinition,
  spell: (text: string) => Canonical,
  report: ReportKeyword,
): ReadonlySet<string> | undefined {
  if (texts === undefined) return undefined;
  const listed = new Set<string>();
  for (const text of texts) {
    const spelled = spell(text);
    if ('fault' in spelled) report('enum', `"${text}" ${spelled.fault}`);
    else if (listed.has(spelled.text))
      report('enum', `"${text}" is the value ${spelled.text} again`);
    else listed.add(spelled.text);
  }
  return listed;
}

/** The listed value of each alias, in canonical spelling. */
function readAliases(
  { aliases = {} }: ParameterDefinition,
  listed: ReadonlySet<string> | undefined,
  spell: (text: string) => Canonical,
  report: ReportKeyword,
): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const [alias, text] of Object.entries(aliases)) {
    const [own, target] = [spell(alias), spell(text)];
    if ('text' in own && listed?.has(own.text)) {
      report('aliases', `"${alias}" is a listed value itself`);
    } else if (!('text' in target) || !listed?.has(target.text)) {
      report('aliases', `"${alias}" stands for "${text}", which enum does not list`);
    } else read.set(alias, target.text);
  }
  return read;
}

type TextCheck = (text: string) => string | undefined;

/** Checks one text by the keywords for a STRING, or a number. */
function createTextCheck(
  ajv: Ajv,
  { minLength, maxLength, pattern, format, minimum, maximum }: ParameterDefinition,
  scalar: ScalarType,
  report: ReportKeyword,
): TextCheck {
  if (NUMBER_TYPES.includes(scalar)) {
    const [low, high] = [boundOf(minimum), boundOf(maximum)];
    for (const keyword of NUMBER_KEYWORDS) {
      const bound = { minimum, maximum }[keyword];
      const isRounded = Number.isInteger(bound) && !Number.isSafeInteger(bound);
      if (isRounded && scalar !== 'FLOAT64') {
        report(keyword, 'is beyond 2^53, where a number in JSON is rounded');
      }
    }
    if (low && high && compareDecimals(low, high) > 0) report('minimum', 'is more than maximum');
    return (text) => {
      const value = parseDecimal(text);
      if (value === undefined) return undefined;
      if (low && compareDecimals(value, low) < 0) return `must be at least ${minimum}`;
      if (high && compareDecimals(value, high) > 0) return `must be at most ${maximum}`;
      return undefined;
    };
  }
  if (scalar !== 'STRING') return () => undefined;
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength) {
    report('minLength', `is more than maxLength (${maxLength})`);
  }
  // In this order: a text is searched only if its length is allowed.
  const checks = [checkLength(), checkPattern(), checkFormat()].filter(
    (check) => check !== undefined,
  );
  return (text) => {
    for (const check of checks) {
      const fault = check(text);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

  function checkLength(): TextCheck | undefined {
    if (minLength === undefined && maxLength === undefined) return undefined;
    return compile({
      ...(minLength === undefined ? {} : { minLength }),
      ...(maxLength === undefined ? {} : { maxLength }),
    });
  }

  function checkPattern(): TextCheck | undefined {
    if (pattern === undefined) return undefined;
    try {
      const matches = linearPattern(pattern, maxLength);
      return (text) => (matches(text) ? undefined : `must match pattern "${pattern}"`);
    } catch (error) {
      report('pattern', errorMessage(error));
      return undefined;
    }
  }

  function checkFormat(): TextCheck | undefined {
    if (format === undefined || format === 're2') return format && re2PatternFault;
    return compile({ format });
  }

  function compile(keywords: Record<string, unknown>): TextCheck {
    const validate = ajv.compile({ type: 'string', ...keywords });
    return (text) => (validate(text) ? undefined : inWords(validate.errors));
  }
}

/** The bound as it is written in endpoint.json. */
function boundOf(bound: number | undefined): Decimal | undefined {
  return bound === undefined ? undefined : parseDecimal(String(bound));
}

function inWords(errors: readonly ErrorObject[] | null | undefined): string {
  return [...new Set((errors ?? []).map(({ message }) => message ?? 'is invalid'))].join(' and ');
}

function ofElement(index: number, fault: string | undefined): string {
  return `value ${index + 1} ${fault}`;
}

function count(items: number): string {
  return items === 1 ? '1 value' : `${items} values`;
}
