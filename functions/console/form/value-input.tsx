// The field for one value of a parameter: a choice, or an input of its type. The service alone validates the values.
import type { InputHTMLAttributes, TargetedInputEvent } from 'preact';
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
  attributes: Record<'id' | 'name' | 'aria-describedby', string> &
    Pick<InputHTMLAttributes, 'aria-required' | 'aria-invalid'>;
}

type Typed = InputHTMLAttributes & { type: string };

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

export function ValueInput({ parameter, values, onChange, zone, attributes }: FieldProps) {
  const [value = ''] = values;
  const choices = choicesOf(parameter);
  if (choices === undefined) {
    const typed: Typed = INPUTS[scalarOf(parameter)] ?? { type: 'text' };
    const wall = isZoned(parameter) ? withoutSeconds(wallOf(value, zone) ?? value) : value;
    // A date that its field cannot show, such as one with microseconds, is a text.
    const isTyped = isShown(typed, wall);
    const props = {
      ...{ ...attributes, ...typed, type: isTyped ? typed.type : 'text' },
      placeholder: placeholderOf(parameter),
      value: isTyped ? wall : value,
      onInput: ({ currentTarget: { value: text } }: TargetedInputEvent<HTMLInputElement>) =>
        onChange([isZoned(parameter) ? withOffset(text, zone) : text]),
    };
    return <input {...(props as InputHTMLAttributes)} />;
  }
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

function isShown({ type }: Typed, value: string): boolean {
  if (type === 'text' || value === '') return true;
  const input = document.createElement('input');
  input.type = type;
  input.value = value;
  // A browser leaves out seconds that are zero.
  const { value: held } = input;
  return held !== '' && value.startsWith(held) && /^[:.0]*$/.test(value.slice(held.length));
}
