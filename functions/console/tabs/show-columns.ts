// Shows what the columns and the parameters of an endpoint mean.
import { byId, h } from '../dom.ts';
import { asSentence, boundsOf } from '../form/bounds-of.ts';
import { listOf } from '../form/start-values.ts';
import { choicesOf } from '../form/control.ts';
import type { Endpoint, Parameter } from '../service.ts';
import type { Store } from '../store.ts';

type Column = Endpoint['row'][number];

const MODES: Record<Column['mode'], string> = {
  REQUIRED: 'never null',
  NULLABLE: 'may be null',
  REPEATED: 'list',
};

export function createColumns(store: Store): void {
  store.listen(['current', 'view'], ({ current, view }) => {
    // While another tab is open, its tables are the only ones.
    if (current === undefined || view.tab !== 'columns') {
      byId('columns').replaceChildren();
      return;
    }
    const { row, parameters } = current;
    byId('columns').replaceChildren(
      definitions(
        'Columns',
        ['Name', 'Type', 'Mode', 'Unit', 'Description'],
        row.map(({ name, type, mode, unit, description }) => [
          name,
          type,
          MODES[mode],
          unit ?? '',
          description,
        ]),
      ),
      ...(parameters.length === 0
        ? []
        : [
            definitions(
              'Parameters',
              ['Name', 'Type', 'Mode', 'Default', 'Description'],
              parameters.map((parameter) => [
                parameter.name,
                parameter.type,
                parameter.required ? 'required' : 'optional',
                listOf(parameter.default).join(', '),
                `${asSentence(parameter.description)} ${valuesOf(parameter)}`.trim(),
              ]),
            ),
          ]),
    );
  });
}

function valuesOf(parameter: Parameter): string {
  const choices = choicesOf(parameter);
  return choices === undefined ? boundsOf(parameter) : `One of ${choices.join(', ')}.`;
}

/** Roles are set because a phone shows the rows as blocks, which browsers no longer report as a table. */
function definitions(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): HTMLElement {
  const id = `definitions-${title.toLowerCase()}`;
  const line = (cells: readonly HTMLElement[]): HTMLElement => h('tr', { role: 'row' }, ...cells);
  return h(
    'section',
    { class: 'definitions', 'aria-labelledby': id },
    h('h2', { id }, title),
    h(
      'table',
      { role: 'table', 'aria-labelledby': id },
      h(
        'thead',
        { role: 'rowgroup' },
        line(heads.map((head) => h('th', { scope: 'col', role: 'columnheader' }, head))),
      ),
      h(
        'tbody',
        { role: 'rowgroup' },
        ...rows.map(([name = '', ...others]) =>
          line([
            h('th', { scope: 'row', role: 'rowheader' }, name),
            ...others.map((text) => h('td', { role: 'cell' }, text)),
          ]),
        ),
      ),
    ),
  );
}
