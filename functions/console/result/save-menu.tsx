// The menu that saves and copies rows and chart as the page shows them, without a second run of the query.
import { useRef } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { saveFile } from '../save-file.ts';
import { type ExportedRows, toCsv, toMarkdown, toTsv } from './export-rows.ts';

interface SaveMenuProps {
  /** Of the files. */
  name: string;
  rows: ExportedRows;
  /** Undefined if there is no chart. */
  picture: (() => Promise<Blob | null> | undefined) | undefined;
}

const MARGIN_PX = 4;

export function SaveMenu({ name, rows, picture }: SaveMenuProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const place = ({ currentTarget: { style } }: { currentTarget: HTMLElement }): void => {
    const { bottom = 0, right = 0 } = opener.current?.getBoundingClientRect() ?? {};
    style.top = `${bottom + scrollY + MARGIN_PX}px`;
    style.right = `${document.documentElement.clientWidth - right}px`;
  };
  const save = (ending: string, content: Blob | null): void => {
    if (content !== null) saveFile(`${name}.${ending}`, content);
    menu.current?.hidePopover();
  };
  return (
    <>
      <button class="quiet" id="save" type="button" popovertarget="save-menu" ref={opener}>
        Save
      </button>
      <div
        class="card"
        id="save-menu"
        popover="auto"
        role="group"
        aria-label="Save"
        ref={menu}
        onBeforeToggle={place}
      >
        <button
          class="secondary"
          id="download"
          type="button"
          autofocus
          // Excel takes CSV without a byte order mark for ANSI.
          onClick={() => save('csv', new Blob(['\ufeff', toCsv(rows)], { type: 'text/csv' }))}
        >
          Download CSV
        </button>
        <CopyButton label="Copy as Markdown" text={() => toMarkdown(rows)} />
        <CopyButton label="Copy as TSV" text={() => toTsv(rows)} />
        {picture !== undefined && (
          <button
            class="secondary"
            type="button"
            onClick={() => void picture()?.then((blob) => save('png', blob))}
          >
            Download PNG
          </button>
        )}
      </div>
    </>
  );
}
