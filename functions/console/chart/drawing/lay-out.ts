// Places the marks of a chart on canvases of a given width.
import type { Drawn } from '../plan/chart-plan.ts';
import type { Drawing, Measure } from './drawing.ts';
import { layOutNames } from './lay-out-names.ts';
import { layOutTimes } from './lay-out-times.ts';

/** `hidden` has names of series. */
export function layOut(
  plan: Drawn,
  hidden: ReadonlySet<string>,
  width: number,
  measure: Measure,
): Drawing {
  return (plan.axis === 'names' ? layOutNames : layOutTimes)(plan, hidden, width, measure);
}
