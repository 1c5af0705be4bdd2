// The dialog that saves and copies the rows as the table shows them, without a second run of the query.
import { CopyButton } from '../copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { type ExportedRows, toCsv, toMarkdown, toTsv } from './export-rows.ts';

interface SaveDialogProps {
  /** Of the file. */
  name: string;
  rows: ExportedRows;
  onClose: () => void;
}

export function SaveDialog({ name, rows, onClose }: SaveDialogProps) {
  const download = (): void => {
    const link = document.createElement('a');
    // Excel takes CSV without a byte order mark for ANSI.
    link.href = URL.createObjectURL(new Blob(['\ufeff', toCsv(rows)], { type: 'text/csv' }));
    link.download = `${name}.csv`;
    link.click();
    // Not at once: the browser may read it later.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    onClose();
  };
  return (
    <Dialog title="Save" onClose={onClose}>
      <button class="secondary" id="download" type="button" onClick={download}>
        Download CSV
      </button>
      <CopyButton label="Copy as Markdown" text={() => toMarkdown(rows)} />
      <CopyButton label="Copy as TSV" text={() => toTsv(rows)} />
    </Dialog>
  );
}
