// A parameter in the form: its name, its control, what is wrong with it, and what it means.
import { setValues } from '../actions.ts';
import { type Parameter, isList } from '../service.ts';
import { get, timeZoneOf } from '../state.ts';
import { asSentence, boundsOf, sizeOf } from './bounds-of.ts';
import { isZoned } from './form-values.ts';
import { Checkboxes, TextList, hasCheckboxes } from './list-input.tsx';
import { choicesOf, scalarOf } from './parameter-kind.ts';
import { ValueInput } from './value-input.tsx';
import { placeOf } from './wall-clock.ts';

export function Field({ parameter }: { parameter: Parameter }) {
  const { name, required, description } = parameter;
  const { [name]: values = [] } = get().draft;
  const fault = get().faults.find(({ field }) => field === name);
  const zone = timeZoneOf(get());
  const attributes = {
    name,
    id: `field-${name}`,
    'aria-describedby': `error-${name} hint-${name}`,
    'aria-required': required ? ('true' as const) : undefined,
    'aria-invalid': fault === undefined ? undefined : ('true' as const),
  };
  const onChange = (next: readonly string[]): void => setValues({ [name]: next });
  const props = { parameter, values, attributes, zone, onChange };
  const isGroup = isList(parameter) && hasCheckboxes(props);
  const Input = isGroup ? Checkboxes : isList(parameter) ? TextList : ValueInput;
  const beside = isZoned(parameter) ? placeOf(zone) : isList(parameter) ? '' : sizeOf(parameter);
  const title = (
    <>
      {name} {required && <span class="muted small">required </span>}
      <span class="muted small">{beside}</span>
    </>
  );
  const rest = (
    <>
      <Input {...props} />
      <p class="field-error small" id={`error-${name}`} hidden={fault === undefined}>
        {fault !== undefined && asSentence(fault.description)}
      </p>
      <p class="hint muted small" id={`hint-${name}`}>
        {[asSentence(description), ...writtenAs(parameter), boundsOf(parameter)]
          .filter((text) => text !== '')
          .join(' ')}
      </p>
    </>
  );
  return isGroup ? (
    <fieldset class="field" aria-invalid={attributes['aria-invalid']}>
      <legend>{title}</legend>
      {rest}
    </fieldset>
  ) : (
    <div class="field">
      <label for={attributes.id}>{title}</label>
      {rest}
    </div>
  );
}

function writtenAs(parameter: Parameter): string[] {
  const scalar = scalarOf(parameter);
  return [
    isList(parameter) && choicesOf(parameter) === undefined ? 'One value a line.' : '',
    scalar === 'TIMESTAMP' && isList(parameter) ? 'With a time zone, such as Z or +01:00.' : '',
    scalar === 'DATETIME' ? 'Without a time zone.' : '',
  ];
}
