// Two ends of a time range, and a choice of the usual ranges, which fills in both.
import { parseInstant } from '../chart/plan/zoned-time.ts';
import { setValues } from '../actions.ts';
import type { Endpoint, Parameter } from '../service.ts';
import { get, timeZoneOf } from '../state.ts';
import { dayZoneOf } from './bucket-of.ts';
import { Field } from './field.tsx';
import { valuesToSend } from './form-values.ts';
import { presetsOf } from './presets.ts';
import { startsEmpty } from './start-values.ts';
import { withSeconds, withoutSeconds } from './wall-clock.ts';

interface RangeProps {
  endpoint: Endpoint;
  ends: readonly [Parameter, Parameter];
}

const [CUSTOM, ANY] = ['custom', 'any'];

export function Range({ endpoint, ends }: RangeProps) {
  const [first, last] = ends;
  const { type } = first;
  const { draft } = get();
  // The instants of a TIMESTAMP whose rows are not of days are those of the page.
  const days = dayZoneOf(type, endpoint, valuesToSend(endpoint, draft)) ?? timeZoneOf(get());
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
    setValues({ [first.name]: [textOf(from)], [last.name]: [textOf(to)] });
  };
  return (
    <div class="range" role="group" aria-label={`${first.name} to ${last.name}`}>
      <Field parameter={first} />
      <Field parameter={last} />
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
        <p class="hint muted small" id={`hint-${id}`}>
          {isSwapped && 'The start is after the end, so no rows can be found.'}
        </p>
      </div>
    </div>
  );
}
