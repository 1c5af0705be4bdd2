// What the columns and the parameters of an endpoint mean.
import { asSentence, boundsOf } from '../form/bounds-of.ts';
import { choicesOf } from '../form/parameter-kind.ts';
import { listOf } from '../form/start-values.ts';
import type { Endpoint, Parameter } from '../service.ts';

const MODES = { REQUIRED: 'never null', NULLABLE: 'may be null', REPEATED: 'list' };

export function ColumnsTab({ endpoint: { row, parameters } }: { endpoint: Endpoint }) {
  const columns = row.map(({ name, type, mode, unit = '', description }) => [
    ...[name, type, MODES[mode], unit, description],
  ]);
  const declared = parameters.map((one) => [
    ...[one.name, one.type, one.required ? 'required' : 'optional'],
    ...[listOf(one.default).join(', '), `${asSentence(one.description)} ${limitsOf(one)}`.trim()],
  ]);
  return (
    <section id="panel-columns" aria-label="Columns">
      {[
        { title: 'Columns', fourth: 'Unit', lines: columns },
        { title: 'Parameters', fourth: 'Default', lines: declared },
      ].map(({ title, fourth, lines }) => (
        <section
          key={title}
          class="definitions"
          tabIndex={0}
          aria-label={title}
          hidden={lines.length === 0}
        >
          <h2>{title}</h2>
          <table class="card" aria-label={title}>
            <thead>
              <tr>
                {['Name', 'Type', 'Mode', fourth, 'Description'].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {lines.map(([name, ...others]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {others.map((text, index) => (
                    <td key={index}>{text}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </section>
  );
}

function limitsOf(parameter: Parameter): string {
  const choices = choicesOf(parameter);
  return choices === undefined ? boundsOf(parameter) : `One of ${choices.join(', ')}.`;
}
