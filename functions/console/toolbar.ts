// Makes controls one stop of Tab, among which the arrow keys lead: https://www.w3.org/WAI/ARIA/apg/patterns/toolbar/

/** The first control is the stop, until another one has the focus. */
export function makeToolbar(toolbar: HTMLElement): void {
  const controls = [...toolbar.querySelectorAll<HTMLElement>('button, input')];
  const stopAt = (stop: HTMLElement | undefined): void => {
    for (const control of controls) control.tabIndex = control === stop ? 0 : -1;
  };
  stopAt(controls[0]);
  toolbar.addEventListener('focusin', ({ target }) => stopAt(target as HTMLElement));
  toolbar.addEventListener('focusout', ({ relatedTarget }) => {
    // The one that was left may be hidden before the next Tab.
    if (!toolbar.contains(relatedTarget as Node | null)) stopAt(controls[0]);
  });
  toolbar.addEventListener('keydown', (event) => {
    const visible = controls.filter((control) => control.checkVisibility());
    const index = visible.indexOf(event.target as HTMLElement);
    const next = {
      ...{ ArrowRight: index + 1, ArrowDown: index + 1, ArrowLeft: index - 1, ArrowUp: index - 1 },
      ...{ Home: 0, End: -1 },
    }[event.key];
    if (index === -1 || next === undefined || event.altKey || event.ctrlKey || event.metaKey)
      return;
    event.preventDefault();
    visible.at(next % visible.length)?.focus();
  });
}
