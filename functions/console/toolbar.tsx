// Controls that are one stop of Tab, among which the arrow keys lead: https://www.w3.org/WAI/ARIA/apg/patterns/toolbar/
import type { HTMLAttributes } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The first control is the stop, until another one has the focus. */
export function Toolbar(attributes: HTMLAttributes<HTMLDivElement>) {
  const toolbar = useRef<HTMLDivElement>(null);
  // A menu that opens over the page is left by Tab as any other.
  const controls = (): HTMLElement[] => [
    ...(toolbar.current?.querySelectorAll<HTMLElement>(':is(button, input):not([popover] *)') ??
      []),
  ];
  const showStop = (): void => {
    const all = controls();
    const stop = all.find((control) => control === document.activeElement) ?? all[0];
    for (const control of all) control.tabIndex = control === stop ? 0 : -1;
  };
  useLayoutEffect(showStop);
  const onKey = (event: KeyboardEvent): void => {
    const visible = controls().filter((control) => control.checkVisibility());
    const index = visible.indexOf(event.target as HTMLElement);
    const next = {
      ...{ ArrowRight: index + 1, ArrowDown: index + 1, ArrowLeft: index - 1, ArrowUp: index - 1 },
      ...{ Home: 0, End: -1 },
    }[event.key];
    if (index === -1 || next === undefined || event.altKey || event.ctrlKey || event.metaKey)
      return;
    event.preventDefault();
    visible.at(next % visible.length)?.focus();
  };
  return (
    <div
      role="toolbar"
      {...attributes}
      ref={toolbar}
      onKeyDown={onKey}
      onFocusIn={showStop}
      // Only then the focus is elsewhere, and the control that was left may be hidden before the next Tab.
      onFocusOut={() => queueMicrotask(showStop)}
    />
  );
}
