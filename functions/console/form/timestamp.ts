// Creates the control of a TIMESTAMP: date, time of day, and the zone that both are meant in.
import { INCOMPLETE, enter, makeEmptyInput, takePaste } from './control.ts';
import { h } from '../dom.ts';
import type { Parameter } from '../service.ts';
import type { ValueControl } from './value-control.ts';
import { localZone, offsetAt, parseZoned, withSeconds } from './wall-clock.ts';

/** An empty field starts in the zone, an IANA name. A value that a date and a time of day do not show in full is text. */
export function makeTimestamp(
  parameter: Parameter,
  {
    value,
    zone,
    ...attributes
  }: { value: string; zone: string } & Record<string, string | undefined>,
): ValueControl {
  const { name } = parameter;
  const input = makeEmptyInput(parameter, { ...attributes, name });
  input.step = '1';
  input.max = '9999-12-31T23:59:59';
  const select = h('select', { 'aria-label': `Time zone of ${name}`, class: 'zone-select' });
  const element = h('div', { class: 'zoned' }, input, select);
  input.addEventListener('input', showOffset);
  takePaste(input, (text) => parseZoned(text) !== undefined && fill([text]));
  fill([value]);
  if (parseZoned(value) === undefined) offer(zone === 'UTC' ? 'utc' : 'local');
  return { element, read, fill, zone: zoneOf, fault, at: () => input };

  function fill([text = '']: readonly string[]): boolean {
    const zoned = parseZoned(text);
    input.type = 'datetime-local';
    enter(input, zoned?.wall ?? text);
    const isText = input.type === 'text';
    select.hidden = isText;
    if (isText) input.value = text;
    if (isText || zoned === undefined) return true;
    const isLocal = zoned.offset === offsetAt(zoned.wall, localZone());
    offer(zoned.offset === 'Z' ? 'utc' : isLocal ? 'local' : zoned.offset);
    return true;
  }

  /** The local zone, UTC, and the offset of the value if it is another. */
  function offer(chosen: string): void {
    const known = localZone() === 'UTC' ? ['utc'] : ['local', 'utc'];
    const zones = known.includes(chosen) || chosen === 'local' ? known : [...known, chosen];
    select.replaceChildren(...zones.map((one) => h('option', { value: one }, one)));
    select.value = zones.includes(chosen) ? chosen : 'utc';
    showOffset();
  }

  /** The offset of the local zone differs between summer and winter. */
  function showOffset(): void {
    const now = new Date().toISOString().slice(0, 19);
    const offset = offsetAt(input.value, localZone()) ?? offsetAt(now, localZone()) ?? '';
    const names: Record<string, string> = { utc: 'UTC', local: `local ${offset}` };
    for (const option of select.options) option.textContent = names[option.value] ?? option.value;
  }

  function zoneOf(): string {
    return select.value === 'utc' ? 'UTC' : localZone();
  }

  function read(): string[] {
    if (input.type === 'text' || input.value === '') return [input.value];
    const wall = withSeconds(input.value);
    const isOffset = select.value !== 'utc' && select.value !== 'local';
    return [wall + (isOffset ? select.value : (offsetAt(wall, zoneOf()) ?? 'Z'))];
  }

  function fault(): string | undefined {
    return input.validity.badInput ? INCOMPLETE : undefined;
  }
}
