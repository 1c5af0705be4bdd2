// The controls of one parameter, as the form uses them.
import type { Zone } from './wall-clock.ts';

export interface ValueControl {
  element: HTMLElement;
  /** Several controls with a legend, instead of one with a label. */
  isGroup?: boolean;
  /** In the line of the name, such as bounds. */
  besideName?: HTMLElement | undefined;
  /** In the order of the controls; an empty text is no value. */
  read: () => readonly string[];
  /** Replaces all values; absent where values are chosen. */
  fill?: (values: readonly string[]) => void;
  /** In which the value is meant, where it has a zone. */
  zone?: () => Zone;
  /** What keeps the values from being sent; completes "<name> …". */
  fault?: () => string | undefined;
  /** What to mark and to focus: of a list, for the value at this position from 1 on. */
  at: (position?: number) => HTMLElement;
}
