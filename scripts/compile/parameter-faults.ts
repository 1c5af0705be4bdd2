// Finds what is wrong with the definition of a parameter beyond what a schema can say.
import { errorMessage } from '../../functions/core/describe-error.ts';
import { isNumberType, isScalarType, scalarTypeOf } from '../../functions/core/parameter-type.ts';
import { canonicalScalar } from '../../functions/endpoints/canonical-scalar.ts';
import { compareDecimals } from '../../functions/endpoints/decimal.ts';
import {
  ITEMS_MAX,
  type ParameterDefinition,
  type ParameterRule,
  boundOf,
  createParameterRule,
} from '../../functions/endpoints/parameter-rule.ts';
import { linearPattern } from './linear-pattern.ts';

type ReportKeyword = (keyword: keyof ParameterDefinition, message: string) => void;

/** The most patterns of one value: checking one may take 10 ms. */
const PATTERNS_MAX = 10;

const STRING_KEYWORDS = ['minLength', 'maxLength', 'pattern', 'format'] as const;
const NUMBER_KEYWORDS = ['minimum', 'maximum'] as const;
const ARRAY_KEYWORDS = ['minItems', 'maxItems'] as const;
/** They hold a value of the parameter. */
const VALUE_KEYWORDS = ['default', 'example', 'otherwise'] as const;

/** The definition fits endpoint.schema.json. */
export function reportParameterFaults(
  definition: ParameterDefinition,
  report: ReportKeyword,
): void {
  reportMisplaced(definition, report);
  const listed = reportListed(definition, report);
  const aliases = reportAliases(definition, listed, report);
  reportNumbers(definition, report);
  const searched = reportTexts(definition, report);
  reportItems(definition, report);
  const { default: _, otherwise: __, ...others } = definition;
  const sound = { ...others, ...(definition.aliases !== undefined && { aliases }) };
  reportValues(definition, createParameterRule(sound, searched), report);
}

function reportMisplaced(definition: ParameterDefinition, report: ReportKeyword): void {
  const { type = 'STRING' } = definition;
  const scalar = scalarTypeOf(type);
  const misplaced = [
    ...(scalar === 'STRING' ? [] : STRING_KEYWORDS),
    ...(isNumberType(scalar) ? [] : NUMBER_KEYWORDS),
    ...(isScalarType(type) ? ARRAY_KEYWORDS : []),
  ];
  for (const keyword of misplaced) {
    if (definition[keyword] !== undefined) report(keyword, `does not go with the type ${type}`);
  }
}

/** Returns the listed values in canonical spelling. */
function reportListed(
  { type = 'STRING', enum: texts = [] }: ParameterDefinition,
  report: ReportKeyword,
): ReadonlySet<string> {
  const listed = new Set<string>();
  for (const text of texts) {
    const spelled = canonicalScalar(scalarTypeOf(type), text);
    if ('fault' in spelled) report('enum', `"${text}" ${spelled.fault}`);
    else if (listed.has(spelled.text))
      report('enum', `"${text}" is the value ${spelled.text} again`);
    else listed.add(spelled.text);
  }
  return listed;
}

/** Returns the aliases without a fault. */
function reportAliases(
  { type = 'STRING', aliases = {} }: ParameterDefinition,
  listed: ReadonlySet<string>,
  report: ReportKeyword,
): Record<string, string> {
  const isListed = (text: string): boolean => {
    const spelled = canonicalScalar(scalarTypeOf(type), text);
    return 'text' in spelled && listed.has(spelled.text);
  };
  const sound = Object.entries(aliases).filter(([alias, text]) => {
    if (isListed(alias)) report('aliases', `"${alias}" is a listed value itself`);
    else if (isListed(text)) return true;
    else report('aliases', `"${alias}" stands for "${text}", which enum does not list`);
    return false;
  });
  return Object.fromEntries(sound);
}

function reportNumbers(definition: ParameterDefinition, report: ReportKeyword): void {
  const scalar = scalarTypeOf(definition.type ?? 'STRING');
  if (!isNumberType(scalar)) return;
  for (const keyword of NUMBER_KEYWORDS) {
    const bound = definition[keyword];
    const isRounded = Number.isInteger(bound) && !Number.isSafeInteger(bound);
    if (isRounded && scalar !== 'FLOAT64') {
      report(keyword, 'is beyond 2^53, where a number in JSON is rounded');
    }
  }
  const [low, high] = [boundOf(definition.minimum), boundOf(definition.maximum)];
  if (low && high && compareDecimals(low, high) > 0) report('minimum', 'is more than maximum');
}

/** Returns the pattern as texts can be searched for it; undefined if they cannot, or if there is none. */
function reportTexts(
  { type = 'STRING', minLength, maxLength, pattern }: ParameterDefinition,
  report: ReportKeyword,
): string | undefined {
  if (scalarTypeOf(type) !== 'STRING') return undefined;
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength) {
    report('minLength', `is more than maxLength (${maxLength})`);
  }
  try {
    return pattern === undefined ? undefined : linearPattern(pattern, maxLength);
  } catch (error) {
    report('pattern', errorMessage(error));
    return undefined;
  }
}

function reportItems(
  { type = 'STRING', format, minItems = 0, maxItems = ITEMS_MAX }: ParameterDefinition,
  report: ReportKeyword,
): void {
  if (minItems > maxItems) report('minItems', `is more than maxItems (${maxItems})`);
  if (!isScalarType(type) && format === 're2' && maxItems > PATTERNS_MAX) {
    report('format', `re2 in an ARRAY needs maxItems of at most ${PATTERNS_MAX}`);
  }
}

/** Reads the values that the definition holds as those of a caller, by what is sound of it. */
function reportValues(
  definition: ParameterDefinition,
  rule: ParameterRule,
  report: ReportKeyword,
): void {
  const { type = 'STRING', required } = definition;
  for (const keyword of VALUE_KEYWORDS) {
    const own = definition[keyword];
    if (own === undefined) continue;
    if (isScalarType(type) && typeof own !== 'string') {
      report(keyword, `must be one text, because the type is ${type}`);
    } else if (own.length === 0) {
      if (required || keyword !== 'example') report(keyword, 'must not be empty');
    } else {
      const { value, fault } = rule.read([own].flat());
      const problem = fault ?? rule.check(value);
      if (problem !== undefined) report(keyword, problem);
    }
  }
}
