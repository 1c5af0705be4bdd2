// The field for one value of a parameter: a choice, or an input of its type. The service alone validates the values.
import type { InputHTMLAttributes, TargetedInputEvent } from 'preact';
import { useRef } from 'preact/hooks';
import type { Parameter } from '../service.ts';
import { choicesOf, placeholderOf, scalarOf } from './parameter-kind.ts';
import { isZoned } from './form-values.ts';
import { startsEmpty } from './start-values.ts';
import { wallOf, withOffset, withoutSeconds } from './wall-clock.ts';

export interface FieldProps {
  parameter: Parameter;
  values: readonly string[];
  onChange: (values: readonly string[]) => void;
  /** The IANA name of that in which the page shows times. */
  zone: string;
  /** Of the control. */
  attributes: {
    id: string;
    name: string;
    'aria-describedby': string;
    'aria-required': 'true' | undefined;
    'aria-invalid': 'true' | undefined;
  };
}

interface Typed {
  type: 'text' | 'date' | 'datetime-local';
  inputmode?: 'numeric' | 'decimal';
  step?: string;
  max?: string;
}

const TIME: Typed = { type: 'datetime-local', step: '1', max: '9999-12-31T23:59:59' };

/** By the type of its value: a field of the type number would swallow wrong input. */
const INPUTS: Record<string, Typed> = {
  INT64: { type: 'text', inputmode: 'numeric' },
  FLOAT64: { type: 'text', inputmode: 'decimal' },
  NUMERIC: { type: 'text', inputmode: 'decimal' },
  // The bound ends the typing of a year at four digits.
  DATE: { type: 'date', max: '9999-12-31' },
  DATETIME: TIME,
  TIMESTAMP: TIME,
};

export function ValueInput(props: FieldProps) {
  const { parameter, values, onChange, attributes } = props;
  const [value = ''] = values;
  const choices = choicesOf(parameter);
  if (isZoned(parameter)) return <ZonedInput {...props} />;
  if (choices === undefined)
    return (
      <TypedInput {...{ parameter, value, attributes }} onInput={(text) => onChange([text])} />
    );
  // A link may carry a value that is not listed: the service decides about it.
  const listed = value === '' || choices.includes(value) ? choices : [value, ...choices];
  return (
    <select
      {...attributes}
      value={value}
      onInput={({ currentTarget }) => onChange([currentTarget.value])}
    >
      {(startsEmpty(parameter) || value === '') && <option value="">not set</option>}
      {listed.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

/** A date and time by the clock of the zone, sent with its offset. */
function ZonedInput({ parameter, values: [value = ''], onChange, attributes, zone }: FieldProps) {
  const typed = useRef('');
  // What is typed stays, also where no clock shows it, such as a year of which one digit is there.
  const isTyped = withOffset(typed.current, zone) === value;
  const wall = isTyped ? typed.current : wallOf(value, zone);
  return (
    <TypedInput
      {...{ parameter, attributes }}
      value={wall === undefined || !isShown(TIME, wall) ? value : withoutSeconds(wall)}
      onInput={(text) => {
        typed.current = text;
        onChange([withOffset(text, zone)]);
      }}
    />
  );
}

interface TypedInputProps extends Pick<FieldProps, 'parameter' | 'attributes'> {
  value: string;
  onInput: (text: string) => void;
}

/** A date that its field cannot show, such as one with microseconds, is a text. */
function TypedInput({ parameter, value, attributes, onInput }: TypedInputProps) {
  const typed: Typed = INPUTS[scalarOf(parameter)] ?? { type: 'text' };
  const props = {
    ...attributes,
    ...typed,
    ...(!isShown(typed, value) && { type: 'text' }),
    placeholder: placeholderOf(parameter),
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: false,
    value,
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) =>
      onInput(currentTarget.value),
  };
  return <input {...(props as InputHTMLAttributes)} />;
}

function isShown({ type }: Typed, value: string): boolean {
  if (type === 'text' || value === '') return true;
  const input = document.createElement('input');
  input.type = type;
  input.value = value;
  // A browser leaves out seconds that are zero.
  const { value: held } = input;
  return held !== '' && value.startsWith(held) && /^[:.0]*$/.test(value.slice(held.length));
}
