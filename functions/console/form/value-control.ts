// The controls of one parameter, as the form uses them.

export interface ValueControl {
  element: HTMLElement;
  /** Several controls with a legend, instead of one with a label. */
  isGroup?: boolean;
  /** In the line of the name, such as bounds. */
  besideName?: HTMLElement | undefined;
  /** In the order of the controls; an empty text means no value. */
  read: () => readonly string[];
  /** Replaces all values; absent where values are chosen. */
  fill?: (values: readonly string[]) => void;
  /** The IANA name of the zone in which the value is meant; absent if it has none. */
  zone?: () => string;
  /** Why the values cannot be sent; completes "<name> …". */
  fault?: () => string | undefined;
  /** The element to mark and to focus: for a list, that of the value at this position, from 1 on. */
  at: (position?: number) => HTMLElement;
}
