// A parameter in the form: its name, its control, what is wrong with it, and what it means. The service alone validates the values.
import type { InputHTMLAttributes } from 'preact';
import { setValues } from '../actions.ts';
import { get, timeZoneOf } from '../state.ts';
import { startsEmpty } from './form-values.ts';
import {
  type Parameter,
  asSentence,
  boundsOf,
  choicesOf,
  isList,
  isTextList,
  isZoned,
  scalarOf,
} from './parameter.ts';
import { fromWall, placeOf, toWall } from './wall-clock.ts';

interface ControlProps {
  parameter: Parameter;
  values: readonly string[];
  onChange: (values: readonly string[]) => void;
  attributes: Record<'id' | 'name' | 'aria-describedby', string> &
    Pick<InputHTMLAttributes, 'aria-required' | 'aria-invalid' | 'placeholder'>;
}

export function Field({ parameter }: { parameter: Parameter }) {
  const { name, required, description, example } = parameter;
  const { draft, faults } = get();
  const fault = faults.find(({ field }) => field === name);
  const isInvalid = fault === undefined ? undefined : ('true' as const);
  const [first] = [example].flat();
  const [One, Several] = choicesOf(parameter) ? [Choice, Checkboxes] : [Input, TextList];
  const Control = isList(parameter) ? Several : One;
  const isGroup = Control === Checkboxes;
  const [Box, Title] = isGroup ? (['fieldset', 'legend'] as const) : (['div', 'label'] as const);
  const beside = [required && 'required', isZoned(parameter) && placeOf(timeZoneOf(get()))];
  const texts = [
    asSentence(description),
    isTextList(parameter) && 'One value a line.',
    boundsOf(parameter),
  ];
  return (
    <Box class="field" aria-invalid={isGroup ? isInvalid : undefined}>
      <Title {...(isGroup ? {} : { for: `field-${name}` })}>
        {name} <span class="muted small">{beside.filter(Boolean).join(' · ')}</span>
      </Title>
      <Control
        parameter={parameter}
        values={draft.getAll(name)}
        onChange={(values) => setValues({ [name]: values })}
        attributes={{
          ...{ name, id: `field-${name}`, 'aria-describedby': `error-${name} hint-${name}` },
          'aria-required': required ? 'true' : undefined,
          'aria-invalid': isInvalid,
          // In words, because an example alone looks like a value.
          placeholder: first === undefined ? undefined : `such as ${first}`,
        }}
      />
      <p class="field-error small" id={`error-${name}`} hidden={fault === undefined}>
        {asSentence(fault?.description ?? '')}
      </p>
      <p class="hint muted small" id={`hint-${name}`}>
        {texts.filter(Boolean).join(' ')}
      </p>
    </Box>
  );
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

function Input({ parameter, values: [value = ''], onChange, attributes }: ControlProps) {
  const zone = timeZoneOf(get());
  const typed: Typed = INPUTS[scalarOf(parameter)] ?? { type: 'text' };
  const wall = isZoned(parameter) ? toWall(value, zone) : value;
  // A browser leaves out seconds that are zero. What its field cannot show, such as microseconds, is a text.
  const { type } = typed;
  const { value: held } = Object.assign(document.createElement('input'), { type, value: wall });
  const isShown = held === '' ? value === '' : [held, `${held}:00`].includes(wall);
  const shown = isShown ? { type, value: held } : { type: 'text', value };
  return (
    <input
      {...({ ...attributes, ...typed, ...shown } as InputHTMLAttributes)}
      onInput={({ currentTarget: { value: text } }) =>
        onChange([isZoned(parameter) ? fromWall(text, zone) : text])
      }
    />
  );
}

function Choice({ parameter, values: [value = ''], onChange, attributes }: ControlProps) {
  return (
    <select
      {...attributes}
      value={value}
      onInput={({ currentTarget }) => onChange([currentTarget.value])}
    >
      {(startsEmpty(parameter) || value === '') && <option value="">not set</option>}
      {allChoices(parameter, [value]).map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

function Checkboxes({ parameter, values, onChange, attributes }: ControlProps) {
  const choices = allChoices(parameter, values);
  return (
    <div class="row">
      {choices.map((choice) => (
        <label key={choice} class="check">
          <input
            type="checkbox"
            name={attributes.name}
            aria-describedby={attributes['aria-describedby']}
            value={choice}
            checked={values.includes(choice)}
            onInput={({ currentTarget: { checked } }) =>
              onChange(choices.filter((one) => (one === choice ? checked : values.includes(one))))
            }
          />
          {choice}
        </label>
      ))}
    </div>
  );
}

/** A link may carry a value that is not listed: the service decides about it. */
function allChoices(parameter: Parameter, values: readonly string[]): string[] {
  const all = new Set([...(choicesOf(parameter) ?? []), ...values]);
  return [...all].filter((choice) => choice !== '');
}

const LINES_MAX = 6;

function TextList({ values: [text = ''], onChange, attributes }: ControlProps) {
  return (
    <textarea
      {...attributes}
      rows={Math.min(text.split('\n').length, LINES_MAX)}
      wrap="off"
      value={text}
      onInput={({ currentTarget }) => onChange([currentTarget.value])}
    />
  );
}
