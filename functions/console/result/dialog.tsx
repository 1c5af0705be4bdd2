// A dialog over the page. Esc and "Close" close it.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  title: string;
  /** In front of "Close". */
  actions?: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
}

/** Open as long as it is in the page. What had the focus before gets it back. */
export function Dialog({ title, actions, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Removed while it is open, it would not return the focus.
    return () => shown?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <h3 id="dialog-title">{title}</h3>
      {children}
      <footer class="row">
        {actions}
        <button class="secondary" type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </footer>
    </dialog>
  );
}
