// Two ends of a time range, and a choice of the usual ranges, which fills in both.
import { parseInstant } from '../chart/plan/zoned-time.ts';
import type { Endpoint, Parameter } from '../service.ts';
import { dayZoneOf } from './bucket-of.ts';
import { Field, type FormFieldProps } from './field.tsx';
import { type Draft, valuesToSend } from './form-values.ts';
import { presetsOf } from './presets.ts';
import { startsEmpty } from './start-values.ts';
import { withSeconds, withoutSeconds } from './wall-clock.ts';

interface RangeProps {
  endpoint: Endpoint;
  ends: readonly [Parameter, Parameter];
  draft: Draft;
  zone: string;
  fieldOf: (parameter: Parameter) => FormFieldProps;
  onChange: FormFieldProps['onChange'];
}

const CUSTOM = 'custom';
const ANY = 'any';

export function Range({ endpoint, ends, draft, zone, fieldOf, onChange }: RangeProps) {
  const [first, last] = ends;
  const { type } = first;
  const given = valuesToSend(endpoint, draft);
  // The instants of a TIMESTAMP whose rows are not of days are those of the page.
  const days = dayZoneOf(type, endpoint, given) ?? zone;
  const [start = '', end = ''] = ends.map(({ name }) => withSeconds(draft[name]?.[0] ?? ''));
  const presets = presetsOf(type, Date.now(), days);
  const mayBeEmpty = ends.every(startsEmpty);
  const isAny = mayBeEmpty && start === '' && end === '';
  const preset = presets.find(({ from, to }) => from === start && to === end);
  const isSwapped = parseInstant(type, start) > parseInstant(type, end);
  const id = `range-${first.name.replace(/^from_?/, '') || 'time'}`;
  const choose = (chosen: string): void => {
    const { from = '', to = '' } = presets.find(({ name }) => name === chosen) ?? {};
    if (chosen === CUSTOM) return;
    const textOf = type === 'DATETIME' ? withoutSeconds : String;
    onChange(first.name, [textOf(from)]);
    onChange(last.name, [textOf(to)]);
  };
  return (
    <div class="range" role="group" aria-label={`${first.name} to ${last.name}`}>
      <Field {...fieldOf(first)} />
      <Field {...fieldOf(last)} />
      <div class="field">
        <label for={id}>
          range <span class="muted small">days of {days}</span>
        </label>
        <select
          id={id}
          aria-describedby={`hint-${id}`}
          value={isAny ? ANY : (preset?.name ?? CUSTOM)}
          onInput={({ currentTarget }) => choose(currentTarget.value)}
        >
          <option value={CUSTOM}>custom</option>
          {mayBeEmpty && <option value={ANY}>default range</option>}
          {presets.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <p class="hint" id={`hint-${id}`}>
          {isSwapped && 'The start is after the end, so no rows can be found.'}
        </p>
      </div>
    </div>
  );
}
