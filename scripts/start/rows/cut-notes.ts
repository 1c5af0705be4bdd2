// Says which tables are read in part only, because the engine cannot hold all of their rows.
import { type CutTable, ENGINE_MIB } from '../../local-bigquery/index.ts';

/** Queries of different columns may read different numbers of rows. */
interface Cut {
  least: number;
  most: number;
  rows: number;
}

export function createCutNotes(note: (line: string) => void) {
  const cuts = new Map<string, Cut>();
  let isTaken = false;
  return {
    onCut: ({ table, rowsRead, rows }: CutTable) => {
      const earlier = cuts.get(table);
      const cut = {
        least: Math.min(rowsRead, earlier?.least ?? rowsRead),
        most: Math.max(rowsRead, earlier?.most ?? rowsRead),
        rows,
      };
      cuts.set(table, cut);
      if (isTaken && earlier === undefined) note(sentence(table, cut));
    },
    /** A sentence per table that was cut so far; one that is cut later is noted at once. */
    take: (): string[] => {
      isTaken = true;
      return [...cuts].map(([table, cut]) => sentence(table, cut));
    },
  };
}

function sentence(table: string, cut: Cut): string {
  const [least, most, rows] = [cut.least, cut.most, cut.rows].map((count) =>
    count.toLocaleString('en-US'),
  );
  const newest = least === most ? least : `${least} to ${most}`;
  return `${table}: queries read the newest ${newest} of ${rows} rows: the local engine holds ${ENGINE_MIB} MiB`;
}
