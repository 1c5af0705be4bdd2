// The menu that saves and copies the rows as the page shows them, without a second run of the query.
import { copyButton } from '../../copy-button.ts';
import { byId, h } from '../../dom.ts';
import type { Column } from './exact-texts.ts';
import { toCsv } from './to-csv.ts';
import { toMarkdown } from './to-markdown.ts';
import { toTsv } from './to-tsv.ts';

interface ShownRows {
  /** Of the endpoint. */
  name: string;
  body: string;
  columns: readonly Column[];
  order: readonly number[];
}

type Write = (body: string, columns: readonly Column[], order: readonly number[]) => string;

const MARGIN_PX = 4;

/** `shownRows` returns what is on the page; undefined without rows. */
export function createSaveMenu(shownRows: () => ShownRows | undefined): void {
  const [menu, opener] = [byId('save-menu'), byId('save')];
  // Where a browser allows no copying, the text is selected in it.
  const copied = h('pre', { 'aria-label': 'Rows', hidden: isSecureContext });
  const copier = (label: string, write: Write): HTMLElement =>
    copyButton(label, copied, () => {
      const text = written(write);
      if (!isSecureContext) copied.textContent = text;
      return text;
    });
  menu.append(copier('Copy as Markdown', toMarkdown), copier('Copy as TSV', toTsv), copied);
  byId('download').addEventListener('click', () => {
    const name = shownRows()?.name;
    if (name !== undefined) download(`${name}.csv`, written(toCsv));
    menu.hidePopover();
  });
  menu.addEventListener('toggle', () => opener.setAttribute('aria-expanded', String(isOpen())));
  menu.addEventListener('beforetoggle', () => {
    copied.textContent = '';
    const { bottom, right } = opener.getBoundingClientRect();
    menu.style.top = `${bottom + scrollY + MARGIN_PX}px`;
    menu.style.right = `${document.documentElement.clientWidth - right}px`;
  });

  function isOpen(): boolean {
    return menu.matches(':popover-open');
  }

  function written(write: Write): string {
    const rows = shownRows();
    return rows === undefined ? '' : write(rows.body, rows.columns, rows.order);
  }
}

function download(name: string, text: string): void {
  // Excel takes CSV without a byte order mark for ANSI.
  const url = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv' }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
