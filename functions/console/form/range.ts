// Creates the select of a time range: it fills in both ends, and shows which of the usual ranges they are.
import { parseInstant } from '../chart/plan/zoned-time.ts';
import { h } from '../dom.ts';
import { describeZone } from './day-zone.ts';
import { presetsOf } from './presets.ts';
import type { ValueControl } from './value-control.ts';
import { placeOf } from './wall-clock.ts';

interface RangeDeps {
  /** The common name of both ends, such as `day`. */
  name: string;
  type: string;
  from: ValueControl;
  to: ValueControl;
  /** What the endpoint does without both ends; undefined if they must not be left out. */
  without: string | undefined;
  /** The IANA name of the zone whose days the presets are, and whether the query is known to count in it. */
  zone: () => { name: string; isKnown: boolean };
  /** That of the page. */
  shownZone: () => string;
}

const CUSTOM = 'custom';
const ANY = 'any';

/** `show` has to be called after each change of an end, and of a zone. */
export function makeRangeSelect(deps: RangeDeps): { element: HTMLElement; show: () => void } {
  const { name, type, from, to, without, zone, shownZone } = deps;
  const names = presetsOf(type, 0, 'UTC').map((preset) => preset.name);
  const id = `range-${name}`;
  const select = h(
    'select',
    { id, 'aria-describedby': `hint-${id}` },
    h('option', { value: CUSTOM }, 'custom'),
    ...(without === undefined ? [] : [h('option', { value: ANY }, without)]),
    ...names.map((each) => h('option', { value: each }, each)),
  );
  const beside = h('span', { class: 'beside-name' });
  const hint = h('p', { class: 'hint', id: `hint-${id}` });
  const label = h('label', { for: id, class: 'muted' }, 'range ', beside);
  // The form would show the range of the ends, before they are those of the chosen one.
  select.addEventListener('input', (event) => event.stopPropagation());
  select.addEventListener('change', () => {
    const chosen = select.value;
    if (chosen === CUSTOM) return;
    const preset = presetsOf(type, Date.now(), zone().name).find((each) => each.name === chosen);
    for (const [end, value] of [
      [from, preset?.from ?? ''],
      [to, preset?.to ?? ''],
    ] as const) {
      end.fill?.([value]);
      end.at().dispatchEvent(new Event('input', { bubbles: true }));
    }
    select.value = chosen;
  });
  return { element: h('div', { class: 'field preset' }, label, select, hint), show };

  function show(): void {
    const [start = '', end = ''] = [from.read()[0], to.read()[0]];
    const { name: days, isKnown } = zone();
    const preset = presetsOf(type, Date.now(), days).find(
      (each) => each.from === start && each.to === end,
    );
    const isAny = without !== undefined && start === '' && end === '';
    select.value = isAny ? ANY : (preset?.name ?? CUSTOM);
    const begin = describeZone(days, shownZone(), Date.now());
    const isSwapped = parseInstant(type, start) > parseInstant(type, end);
    hint.textContent = isSwapped ? 'The start is after the end, so no rows can be found.' : begin;
    beside.textContent = isKnown
      ? `days of ${days}`
      : begin === ''
        ? ''
        : `presets are ${placeOf(days)} days`;
  }
}
