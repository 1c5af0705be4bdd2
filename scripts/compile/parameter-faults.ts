// Finds the faults of the definition of a parameter that a schema cannot express.
import { errorMessage } from '../../functions/core/errors.ts';
import { isNumberType, isScalarType, scalarTypeOf } from '../../functions/core/parameter-type.ts';
import { canonicalScalar } from '../../functions/endpoints/canonical-scalar.ts';
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
/** Keywords that contain a value of the parameter. */
const VALUE_KEYWORDS = ['default', 'example', 'otherwise'] as const;

/** The definition must match endpoint.schema.json. */
export function reportParameterFaults(definition: ParameterDefinition, report: ReportKeyword) {
  const { type = 'STRING', enum: texts = [], aliases = {}, required, format } = definition;
  const { minLength, maxLength, pattern, minItems = 0, maxItems = ITEMS_MAX } = definition;
  const scalar = scalarTypeOf(type);
  reportMisplaced();
  const listed = listedValues();
  const { default: _, otherwise: __, ...others } = definition;
  const sound = { ...others, ...(definition.aliases !== undefined && { aliases: soundAliases() }) };
  if (isNumberType(scalar)) reportNumbers();
  const searched = scalar === 'STRING' ? searchedPattern() : undefined;
  if (minItems > maxItems) report('minItems', `is more than maxItems (${maxItems})`);
  if (!isScalarType(type) && format === 're2' && maxItems > PATTERNS_MAX) {
    report('format', `re2 in an ARRAY needs maxItems of at most ${PATTERNS_MAX}`);
  }
  reportValues(createParameterRule(sound, searched));

  function reportMisplaced(): void {
    const misplaced = [
      ...(scalar === 'STRING' ? [] : STRING_KEYWORDS),
      ...(isNumberType(scalar) ? [] : NUMBER_KEYWORDS),
      ...(isScalarType(type) ? ARRAY_KEYWORDS : []),
    ];
    for (const keyword of misplaced) {
      if (definition[keyword] !== undefined) report(keyword, `is not allowed with type ${type}`);
    }
  }

  /** In canonical spelling. */
  function listedValues(): ReadonlySet<string> {
    const found = new Set<string>();
    for (const text of texts) {
      const spelled = canonicalScalar(scalar, text);
      if ('fault' in spelled) report('enum', `"${text}" ${spelled.fault}`);
      else if (found.has(spelled.text)) {
        report('enum', `"${text}" is a duplicate of ${spelled.text}`);
      } else found.add(spelled.text);
    }
    return found;
  }

  function soundAliases(): Record<string, string> {
    const isListed = (text: string): boolean => {
      const spelled = canonicalScalar(scalar, text);
      return 'text' in spelled && listed.has(spelled.text);
    };
    const entries = Object.entries(aliases).filter(([alias, text]) => {
      if (isListed(alias)) report('aliases', `"${alias}" is also a value of enum`);
      else if (isListed(text)) return true;
      else report('aliases', `"${alias}" stands for "${text}", which is not in enum`);
      return false;
    });
    return Object.fromEntries(entries);
  }

  function reportNumbers(): void {
    for (const keyword of NUMBER_KEYWORDS) {
      const bound = definition[keyword];
      const isRounded = Number.isInteger(bound) && !Number.isSafeInteger(bound);
      if (isRounded && scalar !== 'FLOAT64') {
        report(keyword, 'is beyond 2^53, where JSON numbers lose precision');
      }
    }
    const [low, high] = [boundOf(definition.minimum), boundOf(definition.maximum)];
    if (low && high && low.gt(high)) report('minimum', 'is more than maximum');
  }

  /** The pattern in the form in which texts are searched; undefined if that is not possible, or without a pattern. */
  function searchedPattern(): string | undefined {
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

  /** Reads the values in the definition like those of a caller, by its parts without a fault. */
  function reportValues(rule: ParameterRule): void {
    for (const keyword of VALUE_KEYWORDS) {
      const own = definition[keyword];
      if (own === undefined) continue;
      if (isScalarType(type) && typeof own !== 'string') {
        report(keyword, `must be one string, because the type is ${type}`);
      } else if (own.length === 0) {
        if (required || keyword !== 'example') report(keyword, 'must not be empty');
      } else {
        const { value, fault } = rule.read([own].flat());
        const problem = fault ?? rule.check(value);
        if (problem !== undefined) report(keyword, problem);
      }
    }
  }
}
