// Fills the generated parts of a page, which are marked by comments; the text around them is written by hand.
import { format } from 'prettier';
import { errorTable, reportTable, settingTable } from './reference-tables.ts';
import { endpointFields, tableFields } from './field-tables.ts';
import { variableTable } from './variable-table.ts';

const PARTS: Readonly<Record<string, () => string | Promise<string>>> = {
  'endpoint.json': endpointFields,
  errors: errorTable,
  report: reportTable,
  settings: settingTable,
  'table.json': tableFields,
  variables: variableTable,
};

const MARKED = /(<!-- generated: (\S+) -->\n).*?(<!-- end -->)/gs;

/** The page with new parts. Throws for a part that does not exist. */
export async function generatePage(page: string): Promise<string> {
  let generated = page;
  for (const [marked, start = '', name = '', end = ''] of page.matchAll(MARKED)) {
    const part = PARTS[name];
    if (part === undefined) {
      throw new Error(`Unknown part ${name}. Parts: ${Object.keys(PARTS).join(', ')}.`);
    }
    const text = `${start}\n${await part()}\n${end}`;
    // By a function, because `$` has a meaning in a replacement text.
    generated = generated.replace(marked, () => text);
  }
  return generated === page ? page : format(generated, { parser: 'markdown', printWidth: 100 });
}
