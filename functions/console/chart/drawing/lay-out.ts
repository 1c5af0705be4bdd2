// Places the marks of a chart on canvases of a given width.
import type { Drawn } from '../plan/chart-plan.ts';
import type { Drawing, LayOutOptions } from './drawing.ts';
import { layOutNames } from './lay-out-names.ts';
import { layOutTimes } from './lay-out-times.ts';

export function layOut(plan: Drawn, options: LayOutOptions): Drawing {
  return (plan.axis === 'names' ? layOutNames : layOutTimes)(plan, options);
}
