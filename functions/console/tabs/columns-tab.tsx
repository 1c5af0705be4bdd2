// What the columns and the parameters of an endpoint mean.
import { asSentence, boundsOf } from '../form/bounds-of.ts';
import { choicesOf } from '../form/parameter-kind.ts';
import { listOf } from '../form/start-values.ts';
import type { Endpoint, Parameter } from '../service.ts';

const MODES: Record<Endpoint['row'][number]['mode'], string> = {
  REQUIRED: 'never null',
  NULLABLE: 'may be null',
  REPEATED: 'list',
};

export function ColumnsTab({ endpoint: { row, parameters } }: { endpoint: Endpoint }) {
  return (
    <section id="panel-columns" aria-label="Columns">
      <Definitions
        title="Columns"
        heads={['Name', 'Type', 'Mode', 'Unit', 'Description']}
        rows={row.map(({ name, type, mode, unit = '', description }) => [
          ...[name, type, MODES[mode], unit, description],
        ])}
      />
      {parameters.length > 0 && (
        <Definitions
          title="Parameters"
          heads={['Name', 'Type', 'Mode', 'Default', 'Description']}
          rows={parameters.map((parameter) => [
            parameter.name,
            parameter.type,
            parameter.required ? 'required' : 'optional',
            listOf(parameter.default).join(', '),
            `${asSentence(parameter.description)} ${boundsText(parameter)}`.trim(),
          ])}
        />
      )}
    </section>
  );
}

function boundsText(parameter: Parameter): string {
  const choices = choicesOf(parameter);
  return choices === undefined ? boundsOf(parameter) : `One of ${choices.join(', ')}.`;
}

interface DefinitionsProps {
  title: string;
  heads: readonly string[];
  rows: readonly (readonly string[])[];
}

function Definitions({ title, heads, rows }: DefinitionsProps) {
  const id = `definitions-${title.toLowerCase()}`;
  return (
    <section class="definitions" tabIndex={0} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <table class="card" aria-labelledby={id}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...others]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {others.map((text, index) => (
                <td key={heads[index + 1]}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
