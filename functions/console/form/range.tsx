// Two ends of a time range, and a choice of the usual ranges, which fills in both.
import { parseInstant } from '../chart/plan/zoned-time.ts';
import { setValues } from '../actions.ts';
import type { Endpoint } from '../service.ts';
import { get, timeZoneOf } from '../state.ts';
import { dayZoneOf } from './bucket-of.ts';
import { Field } from './field.tsx';
import { startsEmpty, valuesToSend } from './form-values.ts';
import type { Parameter } from './parameter.ts';
import { presetsOf } from './ranges.ts';

interface RangeProps {
  endpoint: Endpoint;
  first: Parameter;
  last: Parameter;
}

const [CUSTOM, ANY] = ['custom', 'default range'];

export function Range({ endpoint, first, last }: RangeProps) {
  const { type } = first;
  const { draft } = get();
  // The instants of a TIMESTAMP whose rows are not of days are those of the page.
  const days = dayZoneOf(type, endpoint, valuesToSend(endpoint, draft)) ?? timeZoneOf(get());
  const [start, end] = [draft.get(first.name) ?? '', draft.get(last.name) ?? ''];
  const any = startsEmpty(first) && startsEmpty(last) ? [{ name: ANY, from: '', to: '' }] : [];
  const presets = [...any, ...presetsOf(type, Date.now(), days)];
  const preset = presets.find(({ from, to }) => from === start && to === end);
  const id = `range-${first.name.replace(/^from_?/, '') || 'time'}`;
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
          value={preset?.name ?? CUSTOM}
          onInput={({ currentTarget: { value } }) => {
            const chosen = presets.find(({ name }) => name === value);
            if (chosen) setValues({ [first.name]: [chosen.from], [last.name]: [chosen.to] });
          }}
        >
          {[CUSTOM, ...presets.map(({ name }) => name)].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <p class="hint muted small" id={`hint-${id}`}>
          {parseInstant(type, start) > parseInstant(type, end) &&
            'The start is after the end, so no rows can be found.'}
        </p>
      </div>
    </div>
  );
}
