// The dialog that saves and copies rows and chart as the page shows them, without a second run of the query.
import { toPng } from '../chart/to-png.ts';
import { CopyButton } from '../copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { type ExportedRows, toCsv, toMarkdown, toTsv } from './export-rows.ts';

interface SaveDialogProps {
  /** Of the files. */
  name: string;
  rows: ExportedRows;
  hasChart: boolean;
  onClose: () => void;
}

export function SaveDialog({ name, rows, hasChart, onClose }: SaveDialogProps) {
  const save = (ending: string, content: Blob | null): void => {
    if (content === null) return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content);
    link.download = `${name}.${ending}`;
    link.click();
    // Not at once: the browser may read it later.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    onClose();
  };
  return (
    <Dialog title="Save" onClose={onClose}>
      <button
        class="secondary"
        id="download"
        type="button"
        // Excel takes CSV without a byte order mark for ANSI.
        onClick={() => save('csv', new Blob(['\ufeff', toCsv(rows)], { type: 'text/csv' }))}
      >
        Download CSV
      </button>
      <CopyButton label="Copy as Markdown" text={() => toMarkdown(rows)} />
      <CopyButton label="Copy as TSV" text={() => toTsv(rows)} />
      {hasChart && (
        <button
          class="secondary"
          type="button"
          onClick={() => void toPng(name).then((blob) => save('png', blob))}
        >
          Download PNG
        </button>
      )}
    </Dialog>
  );
}
