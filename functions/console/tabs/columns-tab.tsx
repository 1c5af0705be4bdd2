// What the columns of an endpoint mean.
import type { Endpoint } from '../service.ts';

const MODES = { REQUIRED: 'never null', NULLABLE: 'may be null', REPEATED: 'list' };

export function ColumnsTab({ endpoint: { row } }: { endpoint: Endpoint }) {
  return (
    <section id="panel-columns" class="definitions" tabIndex={0} aria-label="Columns">
      <table class="card" aria-label="Columns">
        <thead>
          <tr>
            {['Name', 'Type', 'Mode', 'Unit', 'Description'].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row.map(({ name, type, mode, unit, description }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{type}</td>
              <td>{MODES[mode]}</td>
              <td>{unit}</td>
              <td>{description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
