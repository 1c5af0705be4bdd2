// The menu that saves and copies rows and chart as the page shows them, without a second run of the query.
import { copyButton } from '../../copy-button.ts';
import { byId, h } from '../../dom.ts';
import { saveFile } from '../../save-file.ts';
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

/** `shownRows` returns what is on the page; undefined without rows. `findPicture` returns what draws the chart, if there is one. */
export function createSaveMenu(
  shownRows: () => ShownRows | undefined,
  findPicture: () => ((title: string) => Promise<Blob | null>) | undefined,
): void {
  const [menu, opener] = [byId('save-menu'), byId('save')];
  // Where a browser allows no copying, the text is selected in it.
  const copied = h('pre', { 'aria-label': 'Rows', hidden: isSecureContext });
  const copier = (label: string, write: Write): HTMLElement =>
    copyButton(label, copied, () => {
      const text = written(write);
      if (!isSecureContext) copied.textContent = text;
      return text;
    });
  const picture = h('button', { class: 'secondary', type: 'button' }, 'Download PNG');
  picture.addEventListener('click', () => {
    const name = shownRows()?.name ?? '';
    void findPicture()?.(name).then((png) => png && saveFile(`${name}.png`, png));
    menu.hidePopover();
  });
  const copies = [copier('Copy as Markdown', toMarkdown), copier('Copy as TSV', toTsv)];
  menu.append(...copies, picture, copied);
  byId('download').addEventListener('click', () => {
    const name = shownRows()?.name;
    // Excel takes CSV without a byte order mark for ANSI.
    const file = new Blob(['\ufeff', written(toCsv)], { type: 'text/csv' });
    if (name !== undefined) saveFile(`${name}.csv`, file);
    menu.hidePopover();
  });
  menu.addEventListener('toggle', () =>
    opener.setAttribute('aria-expanded', String(menu.matches(':popover-open'))),
  );
  menu.addEventListener('beforetoggle', () => {
    copied.textContent = '';
    picture.hidden = findPicture() === undefined;
    const { bottom, right } = opener.getBoundingClientRect();
    menu.style.top = `${bottom + scrollY + MARGIN_PX}px`;
    menu.style.right = `${document.documentElement.clientWidth - right}px`;
  });

  function written(write: Write): string {
    const rows = shownRows();
    return rows === undefined ? '' : write(rows.body, rows.columns, rows.order);
  }
}
