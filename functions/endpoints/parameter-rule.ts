// Creates the rule that reads and checks the values of one parameter.
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { RE2JS } from 're2js';
import {
  type ParameterType,
  type ParameterValue,
  absentValue,
  isAbsent,
  isNumberType,
  isScalarType,
  scalarTypeOf,
  textsOf,
} from '../core/parameter-type.ts';
import { canonicalScalar, parseDecimal } from './canonical-scalar.ts';
import { re2PatternFault } from './re2-pattern.ts';

/** A declared parameter: `sql/endpoint.schema.json` describes the fields. */
export interface ParameterDefinition {
  description: string;
  required: boolean;
  /** STRING if absent. */
  type?: ParameterType;
  example: string | string[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  enum?: string[];
  aliases?: Record<string, string>;
  default?: string | string[];
  /** The value that replaces one outside `enum`, so that invented values share one cache entry. */
  otherwise?: string;
}

/** Faults complete "<parameter> …". */
export interface ParameterRule {
  type: ParameterType;
  /** The supplied value in canonical spelling; a text that is not of the type is returned unchanged, with the fault. */
  read(supplied: readonly string[] | undefined): { value: ParameterValue; fault?: string };
  /** The fault that the keywords find in a value that `read` returned without a fault. */
  check(value: ParameterValue): string | undefined;
  /** The same for one element of an ARRAY, or for a scalar; `text` is canonical and not empty. */
  checkElement(text: string): string | undefined;
  /** The canonical spelling of one value that a caller may send; undefined if it is not of the type. */
  canonical(text: string): string | undefined;
}

export const ITEMS_MAX = 100;

/** The definition must have no fault (scripts/compile/parameter-faults.ts); `searched` is its `pattern` as RE2 runs it. */
export function createParameterRule(definition: ParameterDefinition, searched: string | undefined) {
  const { type = 'STRING', required, enum: values, default: stated, otherwise } = definition;
  const scalar = scalarTypeOf(type);
  const isArray = !isScalarType(type);
  const [itemsMin, itemsMax] = [definition.minItems ?? 0, definition.maxItems ?? ITEMS_MAX];
  const aliases = new Map(Object.entries(definition.aliases ?? {}));
  const accepted = [...(values ?? []), ...aliases.keys()].join(', ');
  const listed = values && new Set(values.map(canonical));
  const checkText = createTextCheck(definition, searched);

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
      const fault = ofElement(faulty, read[faulty]?.fault) + hintOf(supplied[faulty]);
      return faulty < 0 ? { value } : { value, fault };
    },
    check(value) {
      if (isAbsent(value)) return required ? 'is required and must not be empty' : undefined;
      const texts = textsOf(value);
      if (isArray && texts.length < itemsMin) return `must have at least ${count(itemsMin)}`;
      if (isArray && texts.length > itemsMax) return `must have at most ${count(itemsMax)}`;
      for (const [index, text] of texts.entries()) {
        const fault = rule.checkElement(text);
        if (fault !== undefined) return isArray ? ofElement(index, fault) + hintOf(text) : fault;
      }
      return undefined;
    },
    checkElement(text) {
      const isListed = listed?.has(text) ?? true;
      return isListed ? checkText(text) : `must be one of ${accepted}`;
    },
    canonical,
  };
  // `otherwise` is a value of `enum`, so it is not replaced itself.
  const replacement = otherwise === undefined ? undefined : canonical(otherwise);
  const fallback = stated === undefined ? absentValue(type) : rule.read([stated].flat()).value;
  return rule;

  function canonical(text: string): string | undefined {
    const spelled = canonicalScalar(scalar, aliases.get(text) ?? text);
    return 'text' in spelled ? spelled.text : undefined;
  }

  /** A hint for a text that consists of several values. */
  function hintOf(text = ''): string {
    const parts = text.split(',').map(canonical);
    const isList = parts.every((part) => part !== undefined && (listed?.has(part) ?? true));
    return parts.length > 1 && isList ? '; repeat the parameter for each value' : '';
  }

  function readText(text: string): { value: string; fault?: string } {
    if (text === '') return { value: text, fault: 'must not be empty' };
    const spelled = canonicalScalar(scalar, aliases.get(text) ?? text);
    if ('text' in spelled && (listed?.has(spelled.text) ?? true)) return { value: spelled.text };
    if (replacement !== undefined) return { value: replacement };
    return 'text' in spelled ? { value: spelled.text } : { value: text, fault: spelled.fault };
  }
}

type TextCheck = (text: string) => string | undefined;

function createTextCheck(definition: ParameterDefinition, searched: string | undefined): TextCheck {
  const scalar = scalarTypeOf(definition.type ?? 'STRING');
  if (isNumberType(scalar)) return createNumberCheck(definition);
  if (scalar !== 'STRING') return () => undefined;
  const { minLength = 0, maxLength = Infinity, pattern, format } = definition;
  const re2 = searched === undefined ? undefined : RE2JS.compile(searched);
  const checkFormat = format === undefined ? undefined : createFormatCheck(format);
  return (text) => {
    // Code points, as JSON Schema counts.
    const length = minLength > 0 || maxLength < text.length ? [...text].length : 0;
    if (length < minLength) return `must NOT have fewer than ${minLength} characters`;
    if (length > maxLength) return `must NOT have more than ${maxLength} characters`;
    // A text is searched only if its length is allowed.
    if (re2?.test(text) === false) return `must match pattern "${pattern}"`;
    return checkFormat?.(text);
  };
}

function createNumberCheck({ minimum, maximum }: ParameterDefinition): TextCheck {
  const [low, high] = [boundOf(minimum), boundOf(maximum)];
  return (text) => {
    const value = parseDecimal(text);
    if (value === undefined) return undefined;
    if (low && value.lt(low)) return `must be at least ${minimum}`;
    if (high && value.gt(high)) return `must be at most ${maximum}`;
    return undefined;
  };
}

function createFormatCheck(format: string): TextCheck {
  if (format === 're2') return re2PatternFault;
  const ofLibrary = fullFormats[format as keyof typeof fullFormats];
  const isValid =
    typeof ofLibrary === 'object' && 'validate' in ofLibrary ? ofLibrary.validate : ofLibrary;
  return (text) => {
    const isOfFormat =
      isValid instanceof RegExp ? isValid.test(text) : (isValid as (text: string) => boolean)(text);
    return isOfFormat ? undefined : `must match format "${format}"`;
  };
}

/** The bound as it is written in endpoint.json. */
export function boundOf(bound: number | undefined) {
  return bound === undefined ? undefined : parseDecimal(String(bound));
}

function ofElement(index: number, fault: string | undefined): string {
  return `value ${index + 1} ${fault}`;
}

function count(items: number): string {
  return items === 1 ? '1 value' : `${items} values`;
}
