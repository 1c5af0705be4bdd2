// The field of an ARRAY: checkboxes where there are choices, or a value on each line.
import { useRef } from 'preact/hooks';
import { choicesOf, placeholderOf, scalarOf } from './parameter-kind.ts';
import { isSame, joinValues, splitValues } from './split-values.ts';
import type { FieldProps } from './value-input.tsx';

const LINES_MAX = 6;

/** Whether checkboxes represent the values: not those that are unlisted, repeated or in another order. */
export function hasCheckboxes({ parameter, values }: Pick<FieldProps, 'parameter' | 'values'>) {
  const choices = choicesOf(parameter) ?? [];
  const wanted = values.filter((value) => value !== '');
  const checked = choices.filter((choice) => wanted.includes(choice));
  return choices.length > 0 && isSame(checked, wanted);
}

export function Checkboxes({ parameter, values, onChange, attributes }: FieldProps) {
  const choices = choicesOf(parameter) ?? [];
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

export function TextList({ parameter, values, onChange, attributes }: FieldProps) {
  const scalar = scalarOf(parameter);
  const typed = useRef('');
  // What is typed, as long as it is these values: it may end with an empty line.
  const isTyped = isSame(splitValues(typed.current, scalar), values);
  const text = isTyped ? typed.current : joinValues(values, scalar);
  return (
    <textarea
      {...attributes}
      rows={Math.min(Math.max(text.split('\n').length, 1), LINES_MAX)}
      placeholder={placeholderOf(parameter)}
      wrap="off"
      value={text}
      onInput={({ currentTarget: { value } }) => {
        // Not a state: shown before the values are, it would be replaced by theirs.
        typed.current = value;
        onChange(splitValues(value, scalar));
      }}
      onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
        if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
      }}
    />
  );
}
