// Creates the select of a time range: it fills in both ends, and shows which of the usual ranges they are.
import { h } from '../dom.ts';
import { presetsOf } from './presets.ts';
import type { ValueControl } from './value-control.ts';
import type { Zone } from './wall-clock.ts';

interface RangeDeps {
  /** The common name of both ends, such as `day`. */
  name: string;
  type: string;
  from: ValueControl;
  to: ValueControl;
  /** Whether both ends may be left out. */
  isOptional: boolean;
  zone: () => Zone;
}

const CUSTOM = 'custom';
const ANY = 'any';

/** `show` has to be called after each change of an end. */
export function makeRangeSelect({ name, type, from, to, isOptional, zone }: RangeDeps): {
  element: HTMLSelectElement;
  show: () => void;
} {
  const names = presetsOf(type, 0, 'utc').map((preset) => preset.name);
  const element = h(
    'select',
    { id: `range-${name}` },
    h('option', { value: CUSTOM }, 'custom'),
    ...(isOptional ? [h('option', { value: ANY }, 'any time')] : []),
    ...names.map((each) => h('option', { value: each }, each)),
  );
  element.addEventListener('change', () => {
    const chosen = element.value;
    if (chosen === CUSTOM) return;
    const preset = presetsOf(type, Date.now(), zone()).find((each) => each.name === chosen);
    for (const [end, value] of [
      [from, preset?.from ?? ''],
      [to, preset?.to ?? ''],
    ] as const) {
      end.fill?.([value]);
      end.at().dispatchEvent(new Event('input', { bubbles: true }));
    }
    element.value = chosen;
  });
  show();
  return { element, show };

  function show(): void {
    const [start = '', end = ''] = [from.read()[0], to.read()[0]];
    const preset = presetsOf(type, Date.now(), zone()).find(
      (each) => each.from === start && each.to === end,
    );
    const isAny = isOptional && start === '' && end === '';
    element.value = isAny ? ANY : (preset?.name ?? CUSTOM);
  }
}
